import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import { route } from '../../http/route.ts'
import { Id, listAnswer, listOf, time } from '../../http/schemas.ts'
import type { ListedClient } from '../flows/manage-oauth-clients.ts'
import { deleteOwnClient, listOwnClients, putOwnClient } from '../flows/manage-oauth-clients.ts'

const OAuthClientBody = z
  .strictObject({
    clientId: z.string().min(1).max(500),
    clientSecret: z
      .string()
      .min(1)
      .max(2_000)
      .optional()
      .meta({ description: 'Absent for a public client. Stored encrypted and never returned.' }),
  })
  .meta({
    id: 'OAuthClientRequest',
    description: 'An OAuth client that the tenant has registered at the provider.',
    examples: [{ clientId: '1234.apps.example', clientSecret: 'GOCSPX-…' }],
  })

const exampleClient = { integrationId: 'gmail', clientId: '1234.apps.example' }

const OAuthClientAnswer = z.strictObject({ integrationId: z.string(), clientId: z.string() }).meta({
  id: 'OAuthClient',
  description: 'An OAuth client of a tenant, without its secret.',
  examples: [exampleClient],
})

const ListedClientAnswer = OAuthClientAnswer.extend({
  method: z
    .enum(['client_secret_post', 'client_secret_basic', 'none'])
    .optional()
    .meta({ description: 'How the client authenticates. Absent if the integration is no longer offered.' }),
  createdAt: time,
  updatedAt: time,
}).meta({
  id: 'OAuthClientDetails',
  description: 'An OAuth client of a tenant, without its secret.',
  examples: [
    {
      ...exampleClient,
      method: 'client_secret_post',
      createdAt: '2026-11-15T03:00:00.000Z',
      updatedAt: '2026-11-15T03:00:00.000Z',
    },
  ],
})

export const listedClientAnswer = (
  client: Omit<ListedClient, 'method'> & Partial<Pick<ListedClient, 'method'>>,
): z.input<typeof ListedClientAnswer> => ({
  integrationId: client.integration,
  clientId: client.clientId,
  ...(client.method && { method: client.method }),
  createdAt: client.createdAt.toISOString(),
  updatedAt: client.updatedAt.toISOString(),
})

const tag = 'Integrations'
const params = { tenantId: Id, integrationId: Id }

export const oauthClientRoutes = [
  route({
    method: 'get',
    path: '/tenants/{tenantId}/oauth-clients',
    operationId: 'listOAuthClients',
    client: 'integrations.listClients',
    clientNote: "Lists the tenant's OAuth clients, without secrets.",
    summary: "List a tenant's OAuth clients",
    description: 'Lists the OAuth clients that the tenant has registered, without secrets.',
    tag,
    params: { tenantId: Id },
    answers: { 200: listOf(ListedClientAnswer) },
    handle: async ({ ports, caller, params: { tenantId: tenant } }) => {
      const clients = await listOwnClients(ports, { caller, tenant })
      return { status: 200, body: listAnswer({ data: clients }, listedClientAnswer) }
    },
  }),
  route({
    method: 'put',
    path: '/tenants/{tenantId}/oauth-clients/{integrationId}',
    operationId: 'putOAuthClient',
    client: 'integrations.putClient',
    summary: "Create or replace a tenant's OAuth client",
    description:
      "The tenant's users see its own app name at the provider. Links in progress use the new client immediately.",
    tag,
    params,
    body: OAuthClientBody,
    answers: { 200: OAuthClientAnswer },
    failures: ['tenant_suspended', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, params: { tenantId, integrationId }, body: { clientId, clientSecret } }) => {
      const client = { id: clientId, secret: clientSecret === undefined ? undefined : new Secret(clientSecret) }
      await putOwnClient(ports, { caller, actor, tenant: tenantId, integration: integrationId, client })
      return { status: 200, body: { integrationId, clientId } }
    },
  }),
  route({
    method: 'delete',
    path: '/tenants/{tenantId}/oauth-clients/{integrationId}',
    operationId: 'deleteOAuthClient',
    client: 'integrations.deleteClient',
    summary: "Delete a tenant's OAuth client",
    description: "The tenant then uses the deployment's client, if one is configured.",
    tag,
    params,
    answers: { 204: undefined },
    handle: async ({ ports, caller, actor, params: { tenantId, integrationId } }) => {
      await deleteOwnClient(ports, { caller, actor, tenant: tenantId, integration: integrationId })
      return { status: 204 }
    },
  }),
]
