import { z } from 'zod'
import { explain } from '../../domain/cause.ts'
import { type Connection, connectionStatuses } from '../../domain/connection.ts'
import { longestRelinkSeconds } from '../../domain/relink.ts'
import { route } from '../../http/route.ts'
import {
  CauseAnswer,
  CompletionChallenge,
  causeCode,
  chosenOutcome,
  connectionCursor,
  EndUser,
  Id,
  Locale,
  limit,
  listAnswer,
  listOf,
  ReturnTo,
  reason,
  TenantId,
  testMode,
  testModeOf,
  time,
  UpstreamAccount,
} from '../../http/schemas.ts'
import {
  UserWordsAnswer,
  type UserWordsNeeds,
  withNamesOnce,
  wordsForUser,
  wordsLocale,
} from '../../http/user-words.ts'
import { CreatedSessionAnswer, sessionAnswer } from '../../linking/http/connect-sessions.ts'
import type { ConnectionFlows } from '../flows/connection-flows.ts'
import { onConnection } from './on-connection.ts'

const RelinkBody = z
  .strictObject({
    reason,
    returnUrl: ReturnTo.optional().meta({
      description: 'One of the return URLs of the tenant. Without it the user ends on a page of the deployment.',
    }),
    completionChallenge: CompletionChallenge.optional().meta({
      description:
        'Required, with `returnUrl`, where the account cannot be compared: none is known, or another is allowed.',
    }),
    ttlSeconds: z
      .int()
      .min(60)
      .max(longestRelinkSeconds)
      .optional()
      .meta({ description: 'How long the URL can be opened. A day by default.' }),
    allowOtherAccount: z
      .boolean()
      .optional()
      .meta({ description: 'The account may be another one than before. Only for keys of the deployment.' }),
    locale: Locale.optional(),
    testOutcome: chosenOutcome,
  })
  .meta({
    id: 'RelinkSessionRequest',
    description: 'Why the connection is re-linked, and where its user goes afterwards.',
    examples: [{ reason: 'ticket 4711', ttlSeconds: 604_800 }],
  })

const ConnectionStatus = z.enum(connectionStatuses).meta({
  id: 'ConnectionStatus',
  description: '`needs_relink`: its grant no longer works, and its user has to sign in again. `disconnected` is final.',
})

const ConnectionListQuery = z.strictObject({
  tenantId: TenantId.optional(),
  integrationId: z.string().max(32).optional(),
  status: ConnectionStatus.optional(),
  causeCode: causeCode.optional(),
  endUserId: z.string().max(200).optional().meta({ description: "The tenant's own id of the user." }),
  locale: wordsLocale,
  cursor: connectionCursor,
  limit,
})

export const ConnectionAnswer = z
  .strictObject({
    id: z.string(),
    tenantId: z.string(),
    testMode,
    workspace: z.string(),
    integrationId: z.string(),
    name: z.string().meta({ description: 'Its name on the platform.' }),
    functionName: z.string(),
    functionUrl: z.string().meta({ description: 'With `/mcp` behind it, the address of the MCP server.' }),
    upstreamAccount: UpstreamAccount.optional(),
    scopes: z.array(z.string()).meta({ description: 'What the provider granted.' }),
    config: z.record(z.string(), z.string()).optional().meta({
      description:
        'What was typed for the account or came with its answers, such as its subdomain; of an MCP server, what was discovered.',
    }),
    status: ConnectionStatus,
    cause: CauseAnswer.optional().meta({ description: 'Why it needs a re-link.' }),
    causeForUser: UserWordsAnswer.optional().meta({
      description:
        'The cause in words that you can show to its end user, with the names of the app and the tenant. Not in an export.',
    }),
    checkedAt: time.optional().meta({ description: 'When its health was last checked.' }),
    healthUnknownSince: time.optional().meta({
      description:
        'Since then no check could tell whether the connection works; `GET /connections/{connectionId}/health` says why. Absent otherwise.',
    }),
    grantEndsAt: time.optional().meta({
      description:
        'The provider ends the grant then, however it is used: re-link before. Shown in the last two weeks, of a grant that lives less than 56 days in its last quarter; absent otherwise.',
    }),
    relinkedAt: time.optional(),
    disconnectedAt: time.optional(),
    endUser: EndUser,
    createdAt: time,
    updatedAt: time,
  })
  .meta({
    id: 'Connection',
    description: 'The permanent result of a link: an account of an end user, and the function that acts for it.',
    examples: [
      {
        id: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
        tenantId: 'acme',
        workspace: 'acme',
        integrationId: 'gmail',
        name: 'gmail-k3v9x2m7qa',
        functionName: 'gmail-k3v9x2m7qa',
        functionUrl: 'https://run.platform.example/acme/functions/gmail-k3v9x2m7qa',
        upstreamAccount: { id: '108432', label: 'user@gmail.example' },
        scopes: ['openid', 'email'],
        status: 'needs_relink',
        cause: explain('grant_revoked'),
        causeForUser: {
          locale: 'en',
          title: 'Access was revoked',
          advice:
            'Gmail no longer accepts the permission you gave: it was revoked or has expired. Start again to restore the connection.',
        },
        checkedAt: '2026-11-15T09:00:00.000Z',
        endUser: { id: 'user-42' },
        createdAt: '2026-11-15T03:25:45.000Z',
        updatedAt: '2026-11-15T09:00:00.000Z',
      },
    ],
  })

export const connectionAnswer = (connection: Connection): z.input<typeof ConnectionAnswer> => ({
  id: connection.id,
  tenantId: connection.tenant,
  ...testModeOf(connection.tenant),
  workspace: connection.workspace,
  integrationId: connection.integration,
  name: connection.name,
  functionName: connection.functionName,
  functionUrl: connection.functionUrl,
  ...(connection.account && { upstreamAccount: connection.account }),
  scopes: connection.scopes,
  ...(Object.keys(connection.config).length > 0 && { config: connection.config }),
  status: connection.status,
  ...(connection.cause && { cause: explain(connection.cause) }),
  ...(connection.checkedAt && { checkedAt: connection.checkedAt.toISOString() }),
  ...(connection.healthUnknownSince && { healthUnknownSince: connection.healthUnknownSince.toISOString() }),
  ...(connection.grantEndsAt && { grantEndsAt: connection.grantEndsAt.toISOString() }),
  ...(connection.relinkedAt && { relinkedAt: connection.relinkedAt.toISOString() }),
  ...(connection.disconnectedAt && { disconnectedAt: connection.disconnectedAt.toISOString() }),
  endUser: { id: connection.endUserId },
  createdAt: connection.createdAt.toISOString(),
  updatedAt: connection.updatedAt.toISOString(),
})

/** With its cause as its end user would be told of it. */
export const toldConnection =
  (needs: UserWordsNeeds, locale: string | undefined) =>
  async (connection: Connection): Promise<z.input<typeof ConnectionAnswer>> => ({
    ...connectionAnswer(connection),
    ...(await wordsForUser(needs, connection, locale)),
  })

export type ConnectionApi = {
  flows: Pick<ConnectionFlows, 'listConnections' | 'readConnection' | 'relinkConnection'>
} & UserWordsNeeds

const tag = 'Connections'
const params = { connectionId: Id }

export const connectionRoutes = ({ flows, languages }: ConnectionApi) => [
  route({
    method: 'get',
    path: '/connections',
    operationId: 'listConnections',
    summary: 'List connections',
    description: 'Newest first. A key of a tenant sees its own connections only.',
    tag,
    query: ConnectionListQuery,
    answers: { 200: listOf(ConnectionAnswer) },
    handle: async ({ caller, query: { tenantId, integrationId, causeCode, ...query } }) => {
      const { status, endUserId, locale, cursor, limit } = query
      const filter = { tenant: tenantId, integration: integrationId, status, cause: causeCode, endUserId }
      const page = await flows.listConnections({ caller, ...filter, cursor, limit })
      const data = await Promise.all(page.data.map(toldConnection(withNamesOnce({ flows, languages }), locale)))
      return { status: 200, body: listAnswer({ ...page, data }, (answer) => answer) }
    },
  }),
  route({
    method: 'get',
    path: '/connections/{connectionId}',
    operationId: 'getConnection',
    summary: 'Get a connection',
    description: 'With its status and, where it does not work, the cause. Disconnected ones can be read, too.',
    tag,
    params,
    query: z.strictObject({ locale: wordsLocale }),
    answers: { 200: ConnectionAnswer },
    handle: async ({ caller, params: { connectionId }, query: { locale } }) => {
      const connection = await flows.readConnection({ caller, id: connectionId })
      return { status: 200, body: await toldConnection({ flows, languages }, locale)(connection) }
    },
  }),
  route({
    method: 'post',
    path: '/connections/{connectionId}/relink-sessions',
    operationId: 'createRelinkSession',
    summary: 'Create a re-link session',
    description:
      'A connect session for a connection whose grant no longer works, or soon will not. The owner of the account signs in again at `url`; the connection keeps its id, its function and its address, and works as before until the new grant has been tested.',
    tag,
    params,
    body: RelinkBody,
    answers: { 201: CreatedSessionAnswer },
    failures: [
      'key_limited',
      'tenant_suspended',
      'tenant_deleted',
      'connection_disconnected',
      'integration_unavailable',
    ],
    handle: async (input) => {
      const { session, url, grantLimit } = await flows.relinkConnection({ ...onConnection(input), ...input.body })
      return { status: 201, body: { ...sessionAnswer(session), url, ...(grantLimit && { grantLimit }) } }
    },
  }),
]
