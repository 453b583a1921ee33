import { z } from 'zod'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { Id, time } from '../../http/schemas.ts'
import { issueAccessToken } from '../flows/app-api/issue-access-token.ts'

const TokenQuery = z.strictObject({
  host: z
    .string()
    .min(1)
    .max(255)
    .optional()
    .meta({ description: 'An API host of the app, if the connection has accounts of several apps.' }),
})

const TokenAnswer = z
  .strictObject({
    accessToken: z.string().meta({ description: 'Keep it in memory only. It works for everybody who has it.' }),
    expiresAt: time.meta({ description: 'Request another token from this time on.' }),
    scopes: z.array(z.string()).meta({ description: 'The scopes that the user granted.' }),
    header: z.string().meta({ description: 'The request header in which the API expects the token.' }),
    prefix: z.string().meta({ description: 'The text before the token in that header, such as `Bearer `.' }),
    apiHosts: z.array(z.string()).meta({ description: 'The API hosts of the app. Send the token to no other host.' }),
  })
  .meta({
    id: 'AccessToken',
    description: 'A short-lived access token of a linked account.',
    examples: [
      {
        accessToken: 'sl.Bq3zt8Lw1Vb0k…',
        expiresAt: '2026-11-15T09:55:00.000Z',
        scopes: ['files.read'],
        header: 'authorization',
        prefix: 'Bearer ',
        apiHosts: ['api.files.example'],
      },
    ],
  })

export const accessTokenRoutes = [
  route({
    method: 'get',
    path: '/connections/{connectionId}/access-token',
    operationId: 'getAccessToken',
    client: 'connections.getAccessToken',
    clientNote: 'Prefer `connections.fetch`, which needs no token.',
    summary: 'Get an access token',
    description:
      'Returns a short-lived access token of the linked account, if the operator allows it for this app and your tenant. Several requests return the same token until it nears its end. You never get a refresh token. Each response is recorded in the audit log.',
    tag: 'Connections',
    params: { connectionId: Id },
    query: TokenQuery,
    answers: { 200: TokenAnswer },
    failures: [
      'access_tokens_refused',
      'account_unusable',
      'app_unavailable',
      'connection_disconnected',
      'not_in_test_mode',
      'platform_unavailable',
      'tenant_suspended',
      'tenant_deleted',
    ],
    handle: async ({ ports, caller, actor, params: { connectionId }, query: { host = '-' } }) => {
      const issued = await issueAccessToken(ports, { connectionId, ...sightOf(caller), actor, host })
      const { accessToken, expiresAt, ...rest } = issued
      return {
        status: 200,
        body: { ...rest, accessToken: accessToken.reveal(), expiresAt: expiresAt.toISOString() },
      }
    },
  }),
]
