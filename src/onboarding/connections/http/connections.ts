import { z } from 'zod'
import { explain } from '../../domain/cause.ts'
import { type Connection, connectionStatuses } from '../../domain/connection.ts'
import { isScopeValue, lackedScopes } from '../../domain/linking/scope-choice.ts'
import { maxRelinkSeconds } from '../../domain/relink.ts'
import { Alias, labelsQuery, namesAnswer, namesOf, Scopes } from '../../http/connection-names.ts'
import { type Answering, route } from '../../http/route.ts'
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
import { namesOnce, UserWordsAnswer, type UserWordsNeeds, wordsForUser, wordsLocale } from '../../http/user-words.ts'
import { readNames } from '../../linking/flows/read-links.ts'
import { CreatedSessionAnswer, sessionAnswer } from '../../linking/http/connect-sessions.ts'
import { listConnections, readConnection } from '../flows/read-connections.ts'
import { relinkConnection } from '../flows/relink-connection.ts'
import { onConnection } from './on-connection.ts'

const RelinkBody = z
  .strictObject({
    reason,
    returnUrl: ReturnTo.optional().meta({
      description: 'A return URL of the tenant. If absent, the user stays on a page of the deployment.',
    }),
    completionChallenge: CompletionChallenge.optional().meta({
      description: 'Required, with `returnUrl`, if the account is unknown or a different account is allowed.',
    }),
    ttlSeconds: z
      .int()
      .min(60)
      .max(maxRelinkSeconds)
      .optional()
      .meta({ description: 'How long the URL can be opened. Defaults to one day.' }),
    allowOtherAccount: z
      .boolean()
      .optional()
      .meta({ description: 'Allows a different account than before. Requires a deployment key.' }),
    locale: Locale.optional(),
    scopes: Scopes.optional().meta({
      description:
        'Scopes to request in addition to those that the connection requests or has, such as its `missingScopes`. A re-link never gives up a granted scope.',
    }),
    testOutcome: chosenOutcome,
  })
  .meta({
    id: 'RelinkSessionRequest',
    description: 'Why the connection is re-linked, and where the user returns to.',
    examples: [{ reason: 'ticket 4711', ttlSeconds: 604_800 }],
  })

const ConnectionStatus = z.enum(connectionStatuses).meta({
  id: 'ConnectionStatus',
  description:
    '`not_linked`: no account is linked yet. `needs_relink`: the grant no longer works, and the user must sign in again. `disconnected` is final.',
})

const ConnectionListQuery = z.strictObject({
  tenantId: TenantId.optional(),
  integrationId: z.string().max(32).optional(),
  status: ConnectionStatus.optional(),
  causeCode: causeCode.optional(),
  endUserId: z.string().max(200).optional().meta({ description: "The tenant's ID for the user." }),
  alias: Alias.optional(),
  labels: labelsQuery,
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
    name: z.string().meta({ description: 'The name of the connection on the platform.' }),
    functionName: z.string(),
    functionUrl: z.string().meta({ description: 'Append `/mcp` for the URL of the MCP server.' }),
    ...namesAnswer,
    upstreamAccount: UpstreamAccount.optional(),
    scopes: z.array(z.string()).meta({ description: 'The granted scopes.' }),
    missingScopes: z.array(z.string()).optional().meta({
      description:
        'Scopes that the connection requests and was not granted: the user declined them, the integration requests them since, or a call of the function lacked them. Name them as `scopes` of a re-link session. Not part of exports.',
    }),
    config: z.record(z.string(), z.string()).optional().meta({
      description:
        'Values that were typed for the account or returned by the provider, such as its subdomain. For an MCP server, the discovered values.',
    }),
    status: ConnectionStatus,
    cause: CauseAnswer.optional().meta({ description: 'Why the connection needs a re-link.' }),
    causeForUser: UserWordsAnswer.optional().meta({
      description:
        'The cause in words for the end user, with the names of the app and the tenant. Not part of exports.',
    }),
    checkedAt: time.optional().meta({ description: 'When the connection was last checked.' }),
    healthUnknownSince: time.optional().meta({
      description:
        'Since then no check has been conclusive. `GET /connections/{connectionId}/health` returns the causes.',
    }),
    grantEndsAt: time.optional().meta({
      description:
        'When the provider ends the grant, regardless of use. Re-link before. Present in the last two weeks or, for grants that live less than 56 days, in the last quarter of their life.',
    }),
    relinkedAt: time.optional(),
    disconnectedAt: time.optional(),
    endUser: EndUser,
    createdAt: time,
    updatedAt: time,
  })
  .meta({
    id: 'Connection',
    description: 'The permanent result of a link: an end user’s account and the function that acts for it.',
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
  ...namesOf(connection),
  ...(connection.account && { upstreamAccount: connection.account }),
  scopes: connection.scopes,
  ...configOf(connection),
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

function configOf({ config }: Connection) {
  const shown = Object.entries(config).filter(([name]) => !isScopeValue(name))
  return shown.length > 0 ? { config: Object.fromEntries(shown) } : {}
}

function missingScopesOf({ integrations }: Answering['ports'], connection: Connection) {
  const missing = lackedScopes(connection, integrations.of(connection))
  return missing.length > 0 && connection.status !== 'disconnected' ? { missingScopes: missing } : {}
}

export const describeConnection = async (
  { ports, languages }: Answering,
  connection: Connection,
  locale: string | undefined,
  names: UserWordsNeeds['readNames'] = (of) => readNames(ports, of),
): Promise<z.input<typeof ConnectionAnswer>> => ({
  ...connectionAnswer(connection),
  ...missingScopesOf(ports, connection),
  ...(await wordsForUser({ readNames: names, languages }, connection, locale)),
})

const tag = 'Connections'
const params = { connectionId: Id }

export const connectionRoutes = [
  route({
    method: 'get',
    path: '/connections',
    operationId: 'listConnections',
    client: 'connections.list',
    summary: 'List connections',
    description: 'Newest first. A tenant key sees only its own connections.',
    tag,
    query: ConnectionListQuery,
    answers: { 200: listOf(ConnectionAnswer) },
    handle: async ({ caller, query: { tenantId, integrationId, causeCode, ...query }, ...answering }) => {
      const { ports } = answering
      const { status, endUserId, alias, labels, locale, cursor, limit } = query
      const filter = {
        tenant: tenantId,
        integration: integrationId,
        status,
        cause: causeCode,
        endUserId,
        alias,
        labels,
      }
      const page = await listConnections(ports, { caller, ...filter, cursor, limit })
      const names = namesOnce((of) => readNames(ports, of))
      const data = await Promise.all(page.data.map((each) => describeConnection(answering, each, locale, names)))
      return { status: 200, body: listAnswer({ ...page, data }, (answer) => answer) }
    },
  }),
  route({
    method: 'get',
    path: '/connections/{connectionId}',
    operationId: 'getConnection',
    client: 'connections.get',
    clientNote: '`locale` is the language of `causeForUser`. Default: English.',
    summary: 'Get a connection',
    description:
      'Returns the connection with its status and, if it does not work, the cause. Disconnected connections can be read as well.',
    tag,
    params,
    query: z.strictObject({ locale: wordsLocale }),
    answers: { 200: ConnectionAnswer },
    handle: async ({ caller, params: { connectionId }, query: { locale }, ...answering }) => {
      const connection = await readConnection(answering.ports, { caller, id: connectionId })
      return { status: 200, body: await describeConnection(answering, connection, locale) }
    },
  }),
  route({
    method: 'post',
    path: '/connections/{connectionId}/relink-sessions',
    operationId: 'createRelinkSession',
    client: 'connections.createRelinkSession',
    clientNote: 'Send `url` of the response to the user. For a signed-in user and `finish`, use `connect.beginRelink`.',
    summary: 'Create a re-link session',
    description:
      'Creates a connect session for a connection whose grant has failed or is about to. The account owner signs in again at `url`. The connection keeps its ID, function and URL, and keeps working until the new grant has been tested.',
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
    handle: async ({ ports, settings, ...input }) => {
      const asked = { ...onConnection(input), ...input.body }
      const { session, url, grantLimit } = await relinkConnection(ports, settings, asked)
      return { status: 201, body: { ...sessionAnswer(session), url, ...(grantLimit && { grantLimit }) } }
    },
  }),
]
