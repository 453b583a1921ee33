// What keeps a connection alive, and what ends it.
import { within } from '../../../kit/process/background-work.ts'
import type { Flows } from '../../flows/flows.ts'
import type { TaskUnderWay } from '../../flows/work-on-task.ts'
import { MintedSessionAnswer, pageOf } from './answer-schemas.ts'
import { connectionAnswer, pageAnswer, sessionAnswer } from './answers.ts'
import { type Asked, route } from './route.ts'
import { AuditListQuery, Id, ReasonBody, RelinkBody } from './schemas.ts'
import { auditAnswer, healthCheckAnswer, taskAnswer } from './upkeep-answers.ts'
import { AuditAnswer, HealthAnswer, HealthCheckAnswer, TaskAnswer, ToolsAnswer } from './upkeep-schemas.ts'

export type UpkeepApi = {
  flows: Pick<
    Flows,
    | 'relinkConnection'
    | 'checkHealth'
    | 'readHealth'
    | 'verifyConnection'
    | 'rollBack'
    | 'disconnect'
    | 'readTask'
    | 'listAudit'
  >
}

/** Whoever asks waits this long to see how it goes on. */
const inlineMs = 8_000

const tag = 'Connections'
const params = { id: Id }

export const upkeepRoutes = ({ flows }: UpkeepApi) => [
  route({
    method: 'post',
    path: '/connections/{id}/relink-sessions',
    name: 'relinkConnection',
    summary: 'Mint an address at which the user links the same account again',
    tag,
    params,
    body: RelinkBody,
    answers: { 201: MintedSessionAnswer },
    refuses: ['key_limited', 'connection_disconnected', 'integration_unavailable'],
    handle: async (asked) => {
      const { session, url } = await flows.relinkConnection({ ...onConnection(asked), ...asked.body })
      return { status: 201, body: { ...sessionAnswer(session), url } }
    },
  }),
  route({
    method: 'post',
    path: '/connections/{id}/health-checks',
    name: 'checkHealth',
    summary: 'Try a connection now',
    tag,
    params,
    body: ReasonBody,
    answers: { 201: HealthCheckAnswer },
    refuses: ['connection_disconnected'],
    handle: async (asked) => {
      return { status: 201, body: healthCheckAnswer(await flows.checkHealth(onConnection(asked))) }
    },
  }),
  route({
    method: 'get',
    path: '/connections/{id}/health',
    name: 'readHealth',
    summary: 'Read how a connection has been',
    tag,
    params,
    answers: { 200: HealthAnswer },
    handle: async ({ caller, params: { id } }) => {
      const { connection, checks } = await flows.readHealth({ connectionId: id, tenant: caller.tenant })
      return {
        status: 200,
        body: { connection: connectionAnswer(connection), checks: checks.map(healthCheckAnswer) },
      }
    },
  }),
  route({
    method: 'post',
    path: '/connections/{id}/verify',
    name: 'verifyConnection',
    summary: 'List the tools of the function over MCP',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: ToolsAnswer },
    refuses: ['connection_disconnected', 'platform_unavailable'],
    handle: async (asked) => ({ status: 200, body: await flows.verifyConnection(onConnection(asked)) }),
  }),
  route({
    method: 'post',
    path: '/connections/{id}/rollback',
    name: 'rollBackConnection',
    summary: 'Go back to the grant before the last re-link, while it is kept',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: TaskAnswer },
    refuses: ['connection_disconnected', 'connection_busy', 'rollback_impossible', 'integration_unavailable'],
    handle: async (asked) => settled(await flows.rollBack(onConnection(asked))),
  }),
  route({
    method: 'post',
    path: '/connections/{id}/disconnect',
    name: 'disconnectConnection',
    summary: 'Revoke the grant where possible, and remove function and connection from the platform',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: TaskAnswer },
    refuses: ['connection_disconnected', 'connection_busy'],
    handle: async (asked) => settled(await flows.disconnect(onConnection(asked))),
  }),
  route({
    method: 'get',
    path: '/connections/{id}/tasks/{task}',
    name: 'readTask',
    summary: 'Read how a disconnect or roll back is getting on',
    tag,
    params: { id: Id, task: Id },
    answers: { 200: TaskAnswer },
    handle: async ({ caller, params: { id, task } }) => {
      const read = await flows.readTask({ connectionId: id, task, tenant: caller.tenant })
      return { status: 200, body: taskAnswer(read) }
    },
  }),
  route({
    method: 'get',
    path: '/audit',
    name: 'listAudit',
    summary: 'List who did what, newest first',
    tag: 'Audit',
    query: AuditListQuery,
    answers: { 200: pageOf(AuditAnswer) },
    handle: async ({ caller, query }) => {
      const { tenant, action, connection, link, actor, requestId, from, to, cursor, limit } = query
      const filter = { tenant, action, connection, link, actor, requestId, from, to }
      return { status: 200, body: pageAnswer(await flows.listAudit({ caller, ...filter, cursor, limit }), auditAnswer) }
    },
  }),
]

const settled = async ({ task, done }: TaskUnderWay) => ({
  status: 200,
  body: taskAnswer((await within(done, inlineMs)) ?? task),
})

/** Whose connection it must be, who asks, and why. */
const onConnection = ({
  params: { id },
  caller,
  actor,
  once,
  body: { reason },
}: Asked<{ id: string }, unknown, { reason: string }>) => ({
  connectionId: id,
  tenant: caller.tenant,
  actor,
  reason,
  once,
})
