import { z } from 'zod'
import type { FunctionGrant } from '../../domain/ports/function-access.ts'
import { sightOf } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { Id, listOf, time } from '../../http/schemas.ts'
import type { ConnectionFlows } from '../flows/connection-flows.ts'

const LoginBody = z
  .strictObject({
    ttlSeconds: z
      .int()
      .min(60)
      .max(3_600)
      .optional()
      .meta({ description: 'How long the URL can be opened. Ten minutes by default.' }),
  })
  .meta({ id: 'FunctionLoginRequest', description: 'How long the login works.', examples: [{ ttlSeconds: 600 }] })

const LoginAnswer = z
  .strictObject({
    url: z.url().meta({
      description:
        'For the browser of the end user of this connection, whom you have authenticated. It can be opened once, and signs in the person who opens it: redirect to it, and never send or store it.',
    }),
    mcpUrl: z.url().meta({ description: 'What the end user adds to their MCP client.' }),
    expiresAt: time,
  })
  .meta({
    id: 'FunctionLogin',
    description: 'A way for the end user to sign in once and open the function in their own MCP client.',
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
    account: z.string().meta({ description: 'Who allowed it.' }),
    app: z
      .strictObject({
        name: z.string(),
        redirectsTo: z.string().meta({ description: 'The host, or the scheme of a native app, that takes its codes.' }),
      })
      .meta({ description: 'The app, by the name that it chose itself.' }),
    scopes: z
      .array(z.string())
      .meta({ description: '`tools:read`: tools that only read. `tools:write`: all of them.' }),
    createdAt: time,
  })
  .meta({ id: 'FunctionGrant', description: 'What an MCP client was allowed to do.', examples: [exampleGrant] })

const grantAnswer = ({ id, account, app, scopes, createdAt }: FunctionGrant): z.input<typeof GrantAnswer> => ({
  id,
  account,
  app,
  scopes,
  createdAt: createdAt.toISOString(),
})

export type FunctionAccessApi = {
  flows: Pick<ConnectionFlows, 'createFunctionLogin' | 'listFunctionGrants' | 'revokeFunctionGrant'>
}

const tag = 'Connections'
const params = { connectionId: Id }

export const functionAccessRoutes = ({ flows }: FunctionAccessApi) => [
  route({
    method: 'post',
    path: '/connections/{connectionId}/function-logins',
    operationId: 'createFunctionLogin',
    summary: 'Create a function login',
    description:
      'Lets the end user of the connection open its function in their own MCP client, without an account on the platform. They sign in by the URL, add `mcpUrl` to the client, and are asked before it gets access.',
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
    handle: async ({ caller, actor, params: { connectionId }, body: { ttlSeconds } }) => {
      const { url, mcpUrl, expiresAt } = await flows.createFunctionLogin({
        connectionId,
        ...sightOf(caller),
        actor,
        ttlSeconds,
      })
      return { status: 201, body: { url, mcpUrl, expiresAt: expiresAt.toISOString() } }
    },
  }),
  route({
    method: 'get',
    path: '/connections/{connectionId}/function-grants',
    operationId: 'listFunctionGrants',
    summary: 'List function grants',
    description:
      'The MCP clients that were allowed to use the function of this connection. Newest first, at most 1000.',
    tag,
    params,
    answers: { 200: listOf(GrantAnswer) },
    failures: ['connection_disconnected', 'platform_unavailable'],
    handle: async ({ caller, params: { connectionId } }) => {
      const grants = await flows.listFunctionGrants({ connectionId, ...sightOf(caller) })
      return { status: 200, body: { data: grants.map(grantAnswer) } }
    },
  }),
  route({
    method: 'delete',
    path: '/connections/{connectionId}/function-grants/{grantId}',
    operationId: 'revokeFunctionGrant',
    summary: 'Revoke a function grant',
    description: 'The client is refused within seconds, and cannot refresh its tokens.',
    tag,
    params: { connectionId: Id, grantId: Id.meta({ description: 'The `id` in the list of function grants.' }) },
    answers: { 204: undefined },
    failures: ['platform_unavailable'],
    handle: async ({ caller, actor, params: { connectionId, grantId } }) => {
      await flows.revokeFunctionGrant({ connectionId, grantId, ...sightOf(caller), actor })
      return { status: 204 }
    },
  }),
]
