import { onConnection } from './on-connection.ts'
// What keeps a connection alive, and what ends it.

import { z } from 'zod'
import { causeCodes, explain } from '../../domain/cause.ts'
import { type Connection, connectionStatuses } from '../../domain/connection.ts'
import { longestRelinkSeconds } from '../../domain/relink.ts'
import { route } from '../../http/route.ts'
import {
  CauseAnswer,
  CompletionChallenge,
  connectionCursor,
  Id,
  limit,
  pageAnswer,
  pageOf,
  reason,
  TenantId,
  time,
  UpstreamAccount,
} from '../../http/schemas.ts'
import { MintedSessionAnswer, sessionAnswer } from '../../linking/http/connect-sessions.ts'
import type { ConnectionFlows } from '../flows/connection-flows.ts'

export const RelinkBody = z.strictObject({
  reason,
  returnUrl: z.string().max(2_000).optional(),
  completionChallenge: CompletionChallenge.optional().meta({
    description: 'Needed, with returnUrl, where the account cannot be compared: none is known, or another is allowed.',
  }),
  ttlSeconds: z.int().min(60).max(longestRelinkSeconds).optional(),
  allowOtherAccount: z
    .boolean()
    .optional()
    .meta({ description: 'The account may be another one than before. Only for keys of the deployment.' }),
})

export const ConnectionListQuery = z.strictObject({
  tenant: TenantId.optional(),
  integration: z.string().max(32).optional(),
  status: z.enum(connectionStatuses).optional(),
  cause: z.enum(causeCodes).optional(),
  endUserId: z.string().max(200).optional(),
  cursor: connectionCursor,
  limit,
})

export const ConnectionAnswer = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  workspace: z.string(),
  integration: z.string(),
  name: z.string(),
  functionName: z.string(),
  functionUrl: z.string(),
  upstreamAccount: UpstreamAccount.optional(),
  scopes: z.array(z.string()),
  status: z.enum(connectionStatuses),
  cause: CauseAnswer.optional().meta({ description: 'Why it needs a re-link.' }),
  checkedAt: time.optional().meta({ description: 'When it was last tried.' }),
  relinkedAt: time.optional(),
  disconnectedAt: time.optional(),
  endUser: z.strictObject({ id: z.string() }),
  createdAt: time,
  updatedAt: time,
})

export const connectionAnswer = (connection: Connection): z.input<typeof ConnectionAnswer> => ({
  id: connection.id,
  tenant: connection.tenant,
  workspace: connection.workspace,
  integration: connection.integration,
  name: connection.name,
  functionName: connection.functionName,
  functionUrl: connection.functionUrl,
  ...(connection.account && { upstreamAccount: connection.account }),
  scopes: connection.scopes,
  status: connection.status,
  ...(connection.cause && { cause: explain(connection.cause) }),
  ...(connection.checkedAt && { checkedAt: connection.checkedAt.toISOString() }),
  ...(connection.relinkedAt && { relinkedAt: connection.relinkedAt.toISOString() }),
  ...(connection.disconnectedAt && { disconnectedAt: connection.disconnectedAt.toISOString() }),
  endUser: { id: connection.endUserId },
  createdAt: connection.createdAt.toISOString(),
  updatedAt: connection.updatedAt.toISOString(),
})

export type ConnectionApi = {
  flows: Pick<ConnectionFlows, 'listConnections' | 'readConnection' | 'relinkConnection'>
}

const tag = 'Connections'

const params = { id: Id }

export const connectionRoutes = ({ flows }: ConnectionApi) => [
  route({
    method: 'get',
    path: '/connections',
    name: 'listConnections',
    summary: 'List connections, newest first',
    tag: 'Connections',
    query: ConnectionListQuery,
    answers: { 200: pageOf(ConnectionAnswer) },
    handle: async ({ caller, query: { tenant, integration, status, cause, endUserId, cursor, limit } }) => {
      const filter = { tenant, integration, status, cause, endUserId }
      const page = await flows.listConnections({ caller, ...filter, cursor, limit })
      return { status: 200, body: pageAnswer(page, connectionAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/connections/{id}',
    name: 'readConnection',
    summary: 'Read a connection',
    tag: 'Connections',
    params: { id: Id },
    answers: { 200: ConnectionAnswer },
    handle: async ({ caller, params: { id } }) => {
      return { status: 200, body: connectionAnswer(await flows.readConnection({ caller, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/connections/{id}/relink-sessions',
    name: 'relinkConnection',
    summary: 'Mint an address at which the user links the same account again',
    tag,
    params,
    body: RelinkBody,
    answers: { 201: MintedSessionAnswer },
    failures: ['key_limited', 'connection_disconnected', 'integration_unavailable'],
    handle: async (input) => {
      const { session, url } = await flows.relinkConnection({ ...onConnection(input), ...input.body })
      return { status: 201, body: { ...sessionAnswer(session), url } }
    },
  }),
]
