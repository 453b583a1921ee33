import { z } from 'zod'
import { exampleOf } from '../../../kit/http/openapi/schema-translator.ts'
import { explain } from '../../domain/cause.ts'
import { type HealthCheck, healthOutcomes } from '../../domain/health/health.ts'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { CauseAnswer, Id, ReasonBody, time } from '../../http/schemas.ts'
import { type UserWordsNeeds, wordsLocale } from '../../http/user-words.ts'
import type { ConnectionFlows } from '../flows/connection-flows.ts'
import { ConnectionAnswer, toldConnection } from './connections.ts'
import { onConnection } from './on-connection.ts'

const exampleCheck = {
  checkedAt: '2026-11-15T09:00:00.000Z',
  outcome: 'broken',
  cause: explain('grant_revoked'),
  durationMs: 212,
}

const HealthCheckAnswer = z
  .strictObject({
    checkedAt: time,
    outcome: z.enum(healthOutcomes).meta({
      description:
        '`unclear`: something else was broken, so the check says nothing about the grant. `untested`: the function answers, and nothing tries the grant, because the profile of the integration names no tool to try it with.',
    }),
    cause: CauseAnswer.optional(),
    durationMs: z.int(),
  })
  .meta({ id: 'HealthCheck', description: 'What one check of a connection found.', examples: [exampleCheck] })

const HealthAnswer = z
  .strictObject({
    connection: ConnectionAnswer,
    checks: z.array(HealthCheckAnswer).meta({ description: 'The newest first, at most 50.' }),
  })
  .meta({
    id: 'ConnectionHealth',
    description: 'The connection and its last checks.',
    examples: [{ connection: exampleOf(ConnectionAnswer), checks: [exampleCheck] }],
  })

const ToolsAnswer = z
  .strictObject({ tools: z.array(z.string()).meta({ description: 'The names of the tools of its function.' }) })
  .meta({
    id: 'ConnectionTools',
    description: 'What the function of a connection offers.',
    examples: [{ tools: ['list_messages', 'read_message'] }],
  })

const healthCheckAnswer = (check: HealthCheck): z.input<typeof HealthCheckAnswer> => ({
  checkedAt: check.at.toISOString(),
  outcome: check.outcome,
  ...(check.cause && { cause: explain(check.cause) }),
  durationMs: check.durationMs,
})

export type HealthApi = {
  flows: Pick<ConnectionFlows, 'checkHealth' | 'readHealth' | 'verifyConnection'>
} & UserWordsNeeds

const tag = 'Connections'
const params = { connectionId: Id }

export const healthRoutes = ({ flows, languages }: HealthApi) => [
  route({
    method: 'post',
    path: '/connections/{connectionId}/health-checks',
    operationId: 'createHealthCheck',
    summary: 'Check the health of a connection',
    description:
      'Uses the connection once, now, as the regular checks do. A dead grant makes it `needs_relink` and sends `connection.needs_relink`.',
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
    path: '/connections/{connectionId}/health',
    operationId: 'getConnectionHealth',
    summary: 'Get the health of a connection',
    description: 'The connection and its last checks.',
    tag,
    params,
    query: z.strictObject({ locale: wordsLocale }),
    answers: { 200: HealthAnswer },
    handle: async ({ caller, params: { connectionId }, query: { locale } }) => {
      const { connection, checks } = await flows.readHealth({ connectionId, ...sightOf(caller) })
      const told = await toldConnection({ flows, languages }, locale)(connection)
      return { status: 200, body: { connection: told, checks: checks.map(healthCheckAnswer) } }
    },
  }),
  route({
    method: 'post',
    path: '/connections/{connectionId}/verify',
    operationId: 'verifyConnection',
    summary: 'Verify a connection',
    description: 'Asks its function for its tools over MCP. The grant is not used.',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: ToolsAnswer },
    failures: ['connection_disconnected', 'platform_unavailable'],
    handle: async (input) => ({ status: 200, body: await flows.verifyConnection(onConnection(input)) }),
  }),
]
