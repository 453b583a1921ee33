import { within } from '../../../kit/process/background-work.ts'
import type { Flows } from '../../flows/flows.ts'
import { ConnectSessionAnswer, LinkAnswer, MintedSessionAnswer } from './answer-schemas.ts'
import { linkAnswer, sessionAnswer } from './answers.ts'
import { route } from './route.ts'
import { CompletionBody, ConnectSessionBody, Id, MaybeReasonBody } from './schemas.ts'

export type ConnectSessionApi = {
  flows: Pick<Flows, 'mintConnectSession' | 'readSession' | 'cancelSession' | 'completeLink'>
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
    refuses: ['not_found', 'integration_unavailable', 'backlog_full'],
    handle: async ({ caller, actor, once, body: { completionChallenge, ttlSeconds, ...body } }) => {
      const { session, url } = await flows.mintConnectSession({
        ...body,
        completionChallenge,
        ttlSeconds,
        caller,
        actor,
        once,
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
    refuses: ['session_started'],
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
    refuses: [
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
