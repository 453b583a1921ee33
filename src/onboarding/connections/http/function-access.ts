import { z } from 'zod'
import type { FunctionGrant } from '../../domain/ports/function-access.ts'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { Id, listOf, time } from '../../http/schemas.ts'
import {
  createFunctionLogin,
  endFunctionLogins,
  listFunctionGrants,
  revokeFunctionGrant,
} from '../flows/function-access.ts'

const LoginBody = z
  .strictObject({
    ttlSeconds: z
      .int()
      .min(60)
      .max(3_600)
      .optional()
      .meta({ description: 'How long the URL can be opened. Defaults to ten minutes.' }),
  })
  .meta({ id: 'FunctionLoginRequest', description: 'The lifetime of the login.', examples: [{ ttlSeconds: 600 }] })

const LoginAnswer = z
  .strictObject({
    url: z.url().meta({
      description:
        'For the browser of the connection’s end user, whom you have authenticated. It works once and signs in the person who opens it: redirect to it, and never send or store it.',
    }),
    mcpUrl: z.url().meta({ description: 'The URL that the end user adds to their MCP client.' }),
    expiresAt: time,
  })
  .meta({
    id: 'FunctionLogin',
    description: 'A one-time login with which the end user opens the function in their own MCP client.',
    examples: [
      {
        url: 'https://auth.platform.example/oauth/function-login/3q2-7wEjXkT3vN8x2Qm5Wc0Rj7Yb4Hd1Fs6Lg9Pa3Zu8',
        mcpUrl: 'https://run.platform.example/acme/functions/gmail-k3v9x2m7qa/mcp',
        expiresAt: '2026-11-15T09:10:00.000Z',
      },
    ],
  })

const exampleGrant = {
  id: 'fg_0b7b9d0e-6d2f-4f52-8f0f-2f6c5a3d9a11',
  account: 'user@acme.example',
  app: { name: 'Claude', redirectsTo: 'claude.ai' },
  scopes: ['tools:read'],
  createdAt: '2026-11-15T09:05:00.000Z',
}

const GrantAnswer = z
  .strictObject({
    id: z.string(),
    account: z.string().meta({ description: 'The account that granted access.' }),
    app: z
      .strictObject({
        name: z.string(),
        redirectsTo: z
          .string()
          .meta({ description: 'The host, or the scheme of a native app, that receives its authorization codes.' }),
      })
      .meta({ description: 'The app, with its self-declared name.' }),
    scopes: z.array(z.string()).meta({ description: '`tools:read`: read-only tools. `tools:write`: all tools.' }),
    createdAt: time,
  })
  .meta({ id: 'FunctionGrant', description: 'The access granted to an MCP client.', examples: [exampleGrant] })

const grantAnswer = ({ id, account, app, scopes, createdAt }: FunctionGrant): z.input<typeof GrantAnswer> => ({
  id,
  account,
  app: { name: app.name, redirectsTo: app.redirectsTo },
  scopes,
  createdAt: createdAt.toISOString(),
})

const tag = 'Connections'
const params = { connectionId: Id }

export const functionAccessRoutes = [
  route({
    method: 'post',
    path: '/connections/{connectionId}/function-logins',
    operationId: 'createFunctionLogin',
    client: 'connections.createFunctionLogin',
    clientNote: 'Redirect the signed-in user to `url` of the response, to open the function in their MCP client.',
    summary: 'Create a function login',
    description:
      'Lets the end user of the connection use its function in their own MCP client, without a platform account. The user signs in with the URL, adds `mcpUrl` to the client, and must approve its access.',
    tag,
    params,
    body: LoginBody,
    answers: { 201: LoginAnswer },
    failures: [
      'connection_disconnected',
      'not_in_test_mode',
      'platform_unavailable',
      'tenant_suspended',
      'tenant_deleted',
    ],
    handle: async ({ ports, settings, caller, actor, params: { connectionId }, body: { ttlSeconds } }) => {
      const { url, mcpUrl, expiresAt } = await createFunctionLogin(ports, settings, {
        connectionId,
        ...sightOf(caller),
        actor,
        ttlSeconds,
      })
      return { status: 201, body: { url, mcpUrl, expiresAt: expiresAt.toISOString() } }
    },
  }),
  route({
    method: 'delete',
    path: '/connections/{connectionId}/function-logins',
    operationId: 'endFunctionLogins',
    client: 'connections.endFunctionLogins',
    clientNote: 'Call it when the user logs out of your product everywhere.',
    summary: 'End function logins',
    description:
      'Ends all function logins of the end user of this connection, for all their functions, and makes all browsers forget the user. MCP clients keep the access that the user allowed.',
    tag,
    params,
    answers: { 204: undefined },
    failures: ['connection_disconnected', 'platform_unavailable'],
    handle: async ({ ports, caller, actor, params: { connectionId } }) => {
      await endFunctionLogins(ports, { connectionId, ...sightOf(caller), actor })
      return { status: 204 }
    },
  }),
  route({
    method: 'get',
    path: '/connections/{connectionId}/function-grants',
    operationId: 'listFunctionGrants',
    client: 'connections.listFunctionGrants',
    clientNote: 'Lists the MCP clients that the user has allowed.',
    summary: 'List function grants',
    description:
      'Lists the MCP clients with access to the function of this connection: one entry for each client and user, with all scopes that it was granted. Newest first, at most 1000.',
    tag,
    params,
    answers: { 200: listOf(GrantAnswer) },
    failures: ['connection_disconnected', 'platform_unavailable'],
    handle: async ({ ports, caller, params: { connectionId } }) => {
      const grants = await listFunctionGrants(ports, { connectionId, ...sightOf(caller) })
      return { status: 200, body: { data: grants.map(grantAnswer) } }
    },
  }),
  route({
    method: 'delete',
    path: '/connections/{connectionId}/function-grants/{grantId}',
    operationId: 'revokeFunctionGrant',
    client: 'connections.revokeFunctionGrant',
    summary: 'Revoke a function grant',
    description:
      'The client loses all access that this user granted it, within seconds, and cannot refresh its tokens.',
    tag,
    params: { connectionId: Id, grantId: Id.meta({ description: 'The `id` of the function grant.' }) },
    answers: { 204: undefined },
    failures: ['platform_unavailable'],
    handle: async ({ ports, caller, actor, params: { connectionId, grantId } }) => {
      await revokeFunctionGrant(ports, { connectionId, grantId, ...sightOf(caller), actor })
      return { status: 204 }
    },
  }),
]
