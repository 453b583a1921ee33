import { z } from 'zod'
import { within } from '../../../kit/process/background-work.ts'
import { type ConnectSession, purposeOf, purposes, sessionStatus } from '../../domain/connect-session.ts'
import { ifConnectedModes } from '../../domain/end-users/if-connected.ts'
import type { Settings } from '../../domain/settings.ts'
import { route } from '../../http/route.ts'
import {
  EndUser,
  endUserAnswer,
  Id,
  MaybeReasonBody,
  TestOutcome,
  testMode,
  testModeOf,
  time,
} from '../../http/schemas.ts'
import type { LinkingFlows } from '../flows/linking-flows.ts'
import { connectSessionBody } from './connect-session-body.ts'
import { LinkAnswer, type ToldLinkNeeds, toldLink } from './links.ts'

const CompletionBody = z
  .strictObject({
    completionCode: z.string().min(1).max(200).meta({ description: '`completion_code` of the return URL.' }),
    completionVerifier: z
      .string()
      .min(43)
      .max(128)
      .meta({ description: 'The verifier from the session of the user whose browser came back.' }),
  })
  .meta({
    id: 'CompletionRequest',
    description: 'What came back with the browser, and what your server kept.',
    examples: [
      {
        completionCode: 'Zx81wJm0v5Qe2d7Rk9',
        completionVerifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
      },
    ],
  })

const exampleSession = {
  id: 'ses_06gxytkrc2v8t1n5m0q7d9hj4w',
  purpose: 'link',
  tenantId: 'acme',
  integrationId: 'gmail',
  endUser: { id: 'user-42', email: 'user@acme.example' },
  returnUrl: 'https://app.acme.example/integrations/return',
  ifConnected: 'add',
  status: 'open',
  expiresAt: '2026-11-15T03:40:00.000Z',
  createdAt: '2026-11-15T03:25:00.000Z',
}

const ConnectSessionAnswer = z
  .strictObject({
    id: z.string(),
    purpose: z.enum(purposes).meta({ description: '`relink`: it gets a new grant for `connectionId`.' }),
    tenantId: z.string(),
    testMode,
    integrationId: z.string().optional().meta({
      description: 'Of a session with `integrationIds`, the one that the user has started; absent until then.',
    }),
    integrationIds: z
      .array(z.string())
      .optional()
      .meta({ description: 'What the user picks from. Empty: any that the tenant may use.' }),
    endUser: EndUser,
    returnUrl: z.string().optional().meta({ description: 'Absent: the browser ends on a page of the deployment.' }),
    connectionId: z.string().optional().meta({ description: 'The connection that a `relink` session re-links.' }),
    ifConnected: z
      .enum(ifConnectedModes)
      .optional()
      .meta({ description: 'Of a `link` session: what happens to an account that was connected before.' }),
    status: z.enum(['open', 'started', 'expired', 'cancelled']),
    linkId: z.string().optional().meta({ description: 'Present once the user has started.' }),
    locale: z.string().optional().meta({ description: 'The language of its pages, if one was named.' }),
    testOutcome: TestOutcome.optional().meta({ description: 'What was chosen for it in test mode.' }),
    expiresAt: time,
    createdAt: time,
  })
  .meta({
    id: 'ConnectSession',
    description: 'A short-lived permission for one browser to link an integration to one tenant.',
    examples: [exampleSession],
  })

export const CreatedSessionAnswer = ConnectSessionAnswer.extend({
  url: z.url().meta({ description: "Redirect the end user's browser there. It is a secret, shown only once." }),
  grantLimit: z
    .strictObject({
      live: z.int().min(0).meta({ description: 'How many grants of this client the account may have.' }),
      limit: z.int().min(1).meta({ description: 'How many of them the app lets live.' }),
      beyond: z
        .enum(['oldest_ends', 'refused'])
        .meta({ description: 'What the app does with one more: it ends the oldest, or refuses the new one.' }),
    })
    .optional()
    .meta({
      description:
        'Of a re-link: present if the app lets one account have only `limit` grants of this client, and `live` of them may be alive. The new one ends the oldest, which another connection may use, or is refused.',
    }),
}).meta({
  id: 'CreatedConnectSession',
  description: 'The new connect session, with the URL for its user.',
  examples: [
    { ...exampleSession, url: 'https://connect.example.com/connect/kT3vN8x2Qm5Wc0Rj7Yb4Hd1Fs6Lg9Pa3Zu8Ei5Ot2Xk' },
  ],
})

export const sessionAnswer = (session: ConnectSession): z.input<typeof ConnectSessionAnswer> => ({
  id: session.id,
  purpose: purposeOf(session.connectionId !== undefined),
  tenantId: session.tenant,
  ...testModeOf(session.tenant),
  ...(session.integration !== undefined && { integrationId: session.integration }),
  ...(session.choices && { integrationIds: session.choices }),
  endUser: endUserAnswer(session.endUser),
  ...(session.returnUrl !== undefined && { returnUrl: session.returnUrl }),
  ...(session.connectionId && { connectionId: session.connectionId }),
  ...(!session.connectionId && { ifConnected: session.ifConnected }),
  status: sessionStatus(session),
  ...(session.linkId && { linkId: session.linkId }),
  ...(session.endUser.locale !== undefined && { locale: session.endUser.locale }),
  ...(session.testOutcome && { testOutcome: session.testOutcome }),
  expiresAt: session.expiresAt.toISOString(),
  createdAt: session.createdAt.toISOString(),
})

export type ConnectSessionApi = {
  flows: Pick<LinkingFlows, 'mintConnectSession' | 'readSession' | 'cancelSession' | 'completeLink'>
  /** Whether a session goes without a completion challenge. */
  completion?: Settings['completion']
} & ToldLinkNeeds

/** A tenant's page waits this long for the whole link; after that it gets `pending` and reads the link later. */
const inlineMs = 8_000

const tag = 'Connect sessions'
const params = { connectSessionId: Id }

export const connectSessionRoutes = ({ flows, completion = 'required', ...others }: ConnectSessionApi) => [
  route({
    method: 'post',
    path: '/connect-sessions',
    operationId: 'createConnectSession',
    summary: 'Create a connect session',
    description:
      'Permits one browser to link one integration, or one that the user picks, to one tenant, for minutes. Redirect the browser of the signed-in user to `url`, and keep it from everyone else.',
    tag,
    body: connectSessionBody(completion),
    answers: { 201: CreatedSessionAnswer },
    failures: [
      'not_found',
      'tenant_suspended',
      'tenant_deleted',
      'integration_unavailable',
      'backlog_full',
      'connection_limit',
    ],
    handle: async ({ caller, actor, claim, body: { tenantId, integrationId, integrationIds, ...body } }) => {
      const { endUser, locale, returnUrl, completionChallenge, ifConnected, ttlSeconds, inputs, testOutcome } = body
      const { session, url } = await flows.mintConnectSession({
        tenant: tenantId,
        integration: integrationId,
        choices: integrationIds,
        endUser: { ...endUser, locale },
        returnUrl,
        completionChallenge,
        ifConnected,
        ttlSeconds,
        inputs,
        testOutcome,
        caller,
        actor,
        claim,
      })
      return { status: 201, body: { ...sessionAnswer(session), url } }
    },
  }),
  route({
    method: 'get',
    path: '/connect-sessions/{connectSessionId}',
    operationId: 'getConnectSession',
    summary: 'Get a connect session',
    description: 'Whether it was started yet, and the link it led to. Its URL is not shown again.',
    tag,
    params,
    answers: { 200: ConnectSessionAnswer },
    handle: async ({ caller, params: { connectSessionId: id } }) => {
      return { status: 200, body: sessionAnswer(await flows.readSession({ caller, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/connect-sessions/{connectSessionId}/cancel',
    operationId: 'cancelConnectSession',
    summary: 'Cancel a connect session',
    description: 'For a session that was not started, or that may be started again. Its URL stops working.',
    tag,
    params,
    body: MaybeReasonBody,
    answers: { 200: ConnectSessionAnswer },
    failures: ['session_started'],
    handle: async ({ caller, actor, params: { connectSessionId: id }, body: { reason } }) => {
      return { status: 200, body: sessionAnswer(await flows.cancelSession({ caller, actor, id, reason })) }
    },
  }),
  route({
    method: 'post',
    path: '/connect-sessions/{connectSessionId}/complete',
    operationId: 'completeConnectSession',
    summary: 'Complete a connect session',
    description:
      'Proves that the browser that came back belongs to the user who set out; only then is the authorization code used. Treat the redirect as a hint: this response is authoritative. You have about two minutes from the return of the browser.',
    tag,
    params,
    body: CompletionBody,
    answers: { 200: LinkAnswer },
    failures: [
      'completion_early',
      'completion_refused',
      'completion_used',
      'completion_late',
      'integration_unavailable',
    ],
    handle: async ({ caller, actor, params: { connectSessionId }, body }) => {
      const { link, done } = await flows.completeLink({ ...body, sessionId: connectSessionId, caller, actor })
      return { status: 200, body: await toldLink({ flows, ...others })((await within(done, inlineMs)) ?? link) }
    },
  }),
]
