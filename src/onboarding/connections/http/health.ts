import { z } from 'zod'
import { explain } from '../../domain/cause.ts'
import { type HealthCheck, healthOutcomes } from '../../domain/health.ts'
import { route } from '../../http/route.ts'
import { CauseAnswer, Id, ReasonBody, time } from '../../http/schemas.ts'
import type { ConnectionFlows } from '../flows/connection-flows.ts'
import { ConnectionAnswer, connectionAnswer } from './connections.ts'
import { onConnection } from './on-connection.ts'

export const HealthCheckAnswer = z.strictObject({
  at: time,
  outcome: z
    .enum(healthOutcomes)
    .meta({ description: 'unclear: something else was broken, so nothing was learnt about the grant.' }),
  cause: CauseAnswer.optional(),
  durationMs: z.int(),
})

export const HealthAnswer = z.strictObject({
  connection: ConnectionAnswer,
  checks: z.array(HealthCheckAnswer).meta({ description: 'The newest first, at most 50.' }),
})

export const ToolsAnswer = z.strictObject({ tools: z.array(z.string()) })

export const healthCheckAnswer = (check: HealthCheck): z.input<typeof HealthCheckAnswer> => ({
  at: check.at.toISOString(),
  outcome: check.outcome,
  ...(check.cause && { cause: explain(check.cause) }),
  durationMs: check.durationMs,
})

export type HealthApi = { flows: Pick<ConnectionFlows, 'checkHealth' | 'readHealth' | 'verifyConnection'> }

const tag = 'Connections'
const params = { id: Id }

export const healthRoutes = ({ flows }: HealthApi) => [
  route({
    method: 'post',
    path: '/connections/{id}/health-checks',
    name: 'checkHealth',
    summary: 'Try a connection now',
    tag,
    params,
    body: ReasonBody,
    answers: { 201: HealthCheckAnswer },
    failures: ['connection_disconnected'],
    handle: async (input) => {
      return { status: 201, body: healthCheckAnswer(await flows.checkHealth(onConnection(input))) }
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
    failures: ['connection_disconnected', 'platform_unavailable'],
    handle: async (input) => ({ status: 200, body: await flows.verifyConnection(onConnection(input)) }),
  }),
]
