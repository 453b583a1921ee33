import { z } from 'zod'
import { exampleOf } from '../../../kit/http/openapi/schema-translator.ts'
import { explain } from '../../domain/cause.ts'
import { type HealthCheck, healthOutcomes } from '../../domain/health/health.ts'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { CauseAnswer, Id, ReasonBody, time } from '../../http/schemas.ts'
import { wordsLocale } from '../../http/user-words.ts'
import { checkHealth, readHealth } from '../flows/check-health.ts'
import { verifyConnection } from '../flows/verify-connection.ts'
import { ConnectionAnswer, describeConnection } from './connections.ts'
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
        '`unclear`: something else failed, so the check says nothing about the grant. `untested`: the function responds, but the integration profile names no tool to test the grant with.',
    }),
    cause: CauseAnswer.optional(),
    durationMs: z.int(),
  })
  .meta({ id: 'HealthCheck', description: 'The result of one check of a connection.', examples: [exampleCheck] })

const HealthAnswer = z
  .strictObject({
    connection: ConnectionAnswer,
    checks: z.array(HealthCheckAnswer).meta({ description: 'Newest first, at most 50.' }),
  })
  .meta({
    id: 'ConnectionHealth',
    description: 'The connection and its last checks.',
    examples: [{ connection: exampleOf(ConnectionAnswer), checks: [exampleCheck] }],
  })

const ToolsAnswer = z
  .strictObject({ tools: z.array(z.string()).meta({ description: 'The names of the function’s tools.' }) })
  .meta({
    id: 'ConnectionTools',
    description: 'The tools of a connection’s function.',
    examples: [{ tools: ['list_messages', 'read_message'] }],
  })

const healthCheckAnswer = (check: HealthCheck): z.input<typeof HealthCheckAnswer> => ({
  checkedAt: check.at.toISOString(),
  outcome: check.outcome,
  ...(check.cause && { cause: explain(check.cause) }),
  durationMs: check.durationMs,
})

const tag = 'Connections'
const params = { connectionId: Id }

export const healthRoutes = [
  route({
    method: 'post',
    path: '/connections/{connectionId}/health-checks',
    operationId: 'createHealthCheck',
    client: 'connections.checkHealth',
    clientNote: 'Runs a health check, which uses the connection once.',
    summary: 'Check the health of a connection',
    description:
      'Uses the connection once, like the regular checks. If the grant is dead, the status becomes `needs_relink` and `connection.needs_relink` is sent.',
    tag,
    params,
    body: ReasonBody,
    answers: { 201: HealthCheckAnswer },
    failures: ['connection_disconnected'],
    handle: async ({ ports, settings, ...input }) => {
      return { status: 201, body: healthCheckAnswer(await checkHealth(ports, settings, onConnection(input))) }
    },
  }),
  route({
    method: 'get',
    path: '/connections/{connectionId}/health',
    operationId: 'getConnectionHealth',
    client: 'connections.getHealth',
    clientNote: 'Returns the connection and its last checks.',
    summary: 'Get the health of a connection',
    description: 'Returns the connection and its last checks.',
    tag,
    params,
    query: z.strictObject({ locale: wordsLocale }),
    answers: { 200: HealthAnswer },
    handle: async ({ caller, params: { connectionId }, query: { locale }, ...answering }) => {
      const { connection, checks } = await readHealth(answering.ports, { connectionId, ...sightOf(caller) })
      const described = await describeConnection(answering, connection, locale)
      return { status: 200, body: { connection: described, checks: checks.map(healthCheckAnswer) } }
    },
  }),
  route({
    method: 'post',
    path: '/connections/{connectionId}/verify',
    operationId: 'verifyConnection',
    client: 'connections.verify',
    clientNote: 'Lists the tools of the function. Does not use the grant.',
    summary: 'Verify a connection',
    description: 'Lists the function’s tools over MCP. Does not use the grant.',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: ToolsAnswer },
    failures: ['connection_disconnected', 'platform_unavailable'],
    handle: async ({ ports, settings, ...input }) => ({
      status: 200,
      body: await verifyConnection(ports, settings, onConnection(input)),
    }),
  }),
]
