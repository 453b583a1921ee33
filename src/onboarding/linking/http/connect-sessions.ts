import { z } from 'zod'
import { within } from '../../../kit/process/background-work.ts'
import { type ConnectSession, sessionStatus } from '../../domain/connect-session.ts'
import { route } from '../../http/route.ts'
import { CompletionChallenge, EndUser, Id, MaybeReasonBody, shown, TenantId, time } from '../../http/schemas.ts'
import type { LinkingFlows } from '../flows/linking-flows.ts'
import { LinkAnswer, linkAnswer } from './links.ts'

export const ConnectSessionBody = z.strictObject({
  tenant: TenantId,
  integration: z.string().min(1).max(32),
  endUser: z.strictObject({
    id: shown(200),
    displayName: shown(100).optional(),
    email: z.email().max(254).optional(),
  }),
  returnUrl: z.string().max(2_000),
  completionChallenge: CompletionChallenge.optional(),
  ttlSeconds: z.int().min(60).max(1_800).optional(),
})

export const CompletionBody = z.strictObject({
  completionCode: z.string().min(1).max(200),
  completionVerifier: z.string().min(43).max(128),
})

export const ConnectSessionAnswer = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  integration: z.string(),
  endUser: EndUser,
  returnUrl: z.string().optional(),
  relinks: z.string().optional().meta({ description: 'The connection that this session re-links.' }),
  status: z.enum(['open', 'started', 'expired', 'cancelled']),
  link: z.string().optional(),
  expiresAt: time,
  createdAt: time,
})

export const MintedSessionAnswer = ConnectSessionAnswer.extend({
  url: z.url().meta({ description: "Redirect the end user's browser there. It is a secret, shown this once." }),
})

export const sessionAnswer = (session: ConnectSession): z.input<typeof ConnectSessionAnswer> => ({
  id: session.id,
  tenant: session.tenant,
  integration: session.integration,
  endUser: session.endUser,
  ...(session.returnUrl !== undefined && { returnUrl: session.returnUrl }),
  ...(session.connectionId && { relinks: session.connectionId }),
  status: sessionStatus(session),
  ...(session.linkId && { link: session.linkId }),
  expiresAt: session.expiresAt.toISOString(),
  createdAt: session.createdAt.toISOString(),
})

export type ConnectSessionApi = {
  flows: Pick<LinkingFlows, 'mintConnectSession' | 'readSession' | 'cancelSession' | 'completeLink'>
  publicUrl: string
}

/** A tenant's page waits this long for the whole link; after that it is told "pending" and reads the link later. */
const inlineMs = 8_000

const tag = 'Connect sessions'

export const connectSessionRoutes = ({ flows, publicUrl }: ConnectSessionApi) => [
  route({
    method: 'post',
    path: '/connect-sessions',
    name: 'mintConnectSession',
    summary: 'Permit one browser to link one integration to one tenant',
    tag,
    body: ConnectSessionBody,
    answers: { 201: MintedSessionAnswer },
    failures: ['not_found', 'integration_unavailable', 'backlog_full'],
    handle: async ({ caller, actor, claim, body: { completionChallenge, ttlSeconds, ...body } }) => {
      const { session, url } = await flows.mintConnectSession({
        ...body,
        completionChallenge,
        ttlSeconds,
        caller,
        actor,
        claim,
      })
      return { status: 201, body: { ...sessionAnswer(session), url } }
    },
  }),
  route({
    method: 'get',
    path: '/connect-sessions/{id}',
    name: 'readConnectSession',
    summary: 'Read a connect session',
    tag,
    params: { id: Id },
    answers: { 200: ConnectSessionAnswer },
    handle: async ({ caller, params: { id } }) => {
      return { status: 200, body: sessionAnswer(await flows.readSession({ caller, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/connect-sessions/{id}/cancel',
    name: 'cancelConnectSession',
    summary: 'Withdraw a connect session that was not started, or that may be started again',
    tag,
    params: { id: Id },
    body: MaybeReasonBody,
    answers: { 200: ConnectSessionAnswer },
    failures: ['session_started'],
    handle: async ({ caller, actor, params: { id }, body: { reason } }) => {
      return { status: 200, body: sessionAnswer(await flows.cancelSession({ caller, actor, id, reason })) }
    },
  }),
  route({
    method: 'post',
    path: '/connect-sessions/{id}/complete',
    name: 'completeConnectSession',
    summary: 'Prove that the browser that came back is the one that set out',
    tag,
    params: { id: Id },
    body: CompletionBody,
    answers: { 200: LinkAnswer },
    failures: [
      'completion_early',
      'completion_refused',
      'completion_used',
      'completion_late',
      'integration_unavailable',
    ],
    handle: async ({ caller, actor, params: { id }, body }) => {
      const { link, done } = await flows.completeLink({ ...body, sessionId: id, caller, actor })
      return { status: 200, body: linkAnswer((await within(done, inlineMs)) ?? link, publicUrl) }
    },
  }),
]
