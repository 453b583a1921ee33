import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import { returnUrlTrouble } from '../../domain/return-url.ts'
import {
  longestRotationSeconds,
  type Tenant,
  tenantIdPattern,
  usualRotationSeconds,
  workspacePattern,
} from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, pageAnswer, pageOf, shown, TenantId, time } from '../../http/schemas.ts'
import type { Offered } from '../flows/list-integrations.ts'
import type { ListedClient } from '../flows/manage-tenants.ts'
import type { TenantFlows } from '../flows/tenant-flows.ts'

const ReturnUrl = z
  .string()
  .max(2_000)
  .superRefine((url, context) => {
    const trouble = returnUrlTrouble(url)
    if (trouble) context.addIssue({ code: 'custom', message: trouble })
  })

export const TenantBody = z.strictObject({
  workspace: z.string().regex(workspacePattern, 'must be lowercase letters, digits and hyphens, at most 63'),
  displayName: shown(63),
  returnUrls: z.array(ReturnUrl).min(1).max(50),
})

export const SigningRotationBody = z.strictObject({
  afterSeconds: z
    .int()
    .min(0)
    .max(longestRotationSeconds)
    .default(usualRotationSeconds)
    .meta({ description: 'How long the secret so far goes on signing. 0 where it has leaked.' }),
})

export const OwnClientBody = z.strictObject({
  clientId: z.string().min(1).max(500),
  clientSecret: z.string().min(1).max(2_000).optional(),
})

export const TenantPageQuery = z.strictObject({ cursor: after(tenantIdPattern), limit })

export const TenantAnswer = z.strictObject({
  id: z.string(),
  workspace: z.string(),
  displayName: z.string(),
  returnUrls: z.array(z.string()),
  createdAt: time,
  updatedAt: time,
})

export const CreatedTenantAnswer = TenantAnswer.extend({
  signingSecret: z.string().meta({ description: 'Verifies `sig` on return URLs. Shown this once.' }),
})

export const RotatedSigningSecretAnswer = z.strictObject({
  signingSecret: z.string().meta({ description: 'Verifies `sig` on return URLs from then on. Shown this once.' }),
  signsFrom: time.meta({
    description:
      'Until then the secret so far signs. Accept both until a minute later: results are still on their way.',
  }),
})

export const OwnClientAnswer = z.strictObject({ integration: z.string(), clientId: z.string() })

export const ListedClientAnswer = OwnClientAnswer.extend({
  method: z
    .enum(['client_secret_post', 'client_secret_basic', 'none'])
    .optional()
    .meta({ description: 'How it proves itself; missing when the integration is no longer offered here.' }),
  createdAt: time,
  updatedAt: time,
})

export const IntegrationAnswer = z.strictObject({
  id: z.string(),
  displayName: z.string(),
  description: z.string(),
  permissions: z.array(z.strictObject({ scope: z.string(), description: z.string() })),
  available: z.boolean().meta({ description: 'Whether an OAuth client is configured, so that a link can be started.' }),
})

export const tenantAnswer = (tenant: Tenant): z.input<typeof TenantAnswer> => ({
  id: tenant.id,
  workspace: tenant.workspace,
  displayName: tenant.displayName,
  returnUrls: tenant.returnUrls,
  createdAt: tenant.createdAt.toISOString(),
  updatedAt: tenant.updatedAt.toISOString(),
})

export const listedClientAnswer = (client: ListedClient): z.input<typeof ListedClientAnswer> => ({
  integration: client.integration,
  clientId: client.clientId,
  ...(client.method && { method: client.method }),
  createdAt: client.createdAt.toISOString(),
  updatedAt: client.updatedAt.toISOString(),
})

export const integrationAnswer = ({ integration, available }: Offered): z.input<typeof IntegrationAnswer> => ({
  id: integration.id,
  displayName: integration.displayName,
  description: integration.description,
  permissions: integration.scopes.map(({ name, description }) => ({ scope: name, description: description ?? '' })),
  available,
})

type Needs = Pick<
  TenantFlows,
  | 'putTenant'
  | 'rotateSigningSecret'
  | 'readTenant'
  | 'listTenants'
  | 'listOwnClients'
  | 'putOwnClient'
  | 'deleteOwnClient'
  | 'listIntegrations'
>

const tag = 'Tenants'

export const tenantRoutes = (flows: Needs) => [
  route({
    method: 'get',
    path: '/tenants',
    name: 'listTenants',
    summary: 'List tenants',
    tag,
    query: TenantPageQuery,
    answers: { 200: pageOf(TenantAnswer) },
    handle: async ({ caller, query: { cursor, limit } }) => {
      return { status: 200, body: pageAnswer(await flows.listTenants({ caller, cursor, limit }), tenantAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{id}',
    name: 'readTenant',
    summary: 'Read a tenant',
    tag,
    params: { id: Id },
    answers: { 200: TenantAnswer },
    handle: async ({ caller, params: { id } }) => {
      return { status: 200, body: tenantAnswer(await flows.readTenant({ caller, id })) }
    },
  }),
  route({
    method: 'put',
    path: '/tenants/{id}',
    name: 'putTenant',
    summary: 'Create or change a tenant',
    tag,
    params: { id: TenantId },
    body: TenantBody,
    answers: { 200: TenantAnswer, 201: CreatedTenantAnswer },
    failures: ['key_limited', 'workspace_taken'],
    handle: async ({ caller, actor, params: { id }, body }) => {
      const { tenant, signingSecret } = await flows.putTenant({ caller, actor, tenant: { id, ...body } })
      if (!signingSecret) return { status: 200, body: tenantAnswer(tenant) }
      return { status: 201, body: { ...tenantAnswer(tenant), signingSecret: signingSecret.reveal() } }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{id}/rotate-signing-secret',
    name: 'rotateSigningSecret',
    summary: 'Make the secret that will sign results on return URLs',
    tag,
    params: { id: Id },
    body: SigningRotationBody,
    answers: { 200: RotatedSigningSecretAnswer },
    failures: ['key_limited'],
    handle: async ({ caller, actor, params: { id }, body: { afterSeconds } }) => {
      const { signingSecret, signsFrom } = await flows.rotateSigningSecret({ caller, actor, id, afterSeconds })
      return { status: 200, body: { signingSecret: signingSecret.reveal(), signsFrom: signsFrom.toISOString() } }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{id}/oauth-clients',
    name: 'listOAuthClients',
    summary: "List the tenant's own OAuth clients, without their secrets",
    tag,
    params: { id: Id },
    answers: { 200: z.strictObject({ data: z.array(ListedClientAnswer) }) },
    handle: async ({ caller, params: { id } }) => {
      return {
        status: 200,
        body: { data: (await flows.listOwnClients({ caller, tenant: id })).map(listedClientAnswer) },
      }
    },
  }),
  route({
    method: 'put',
    path: '/tenants/{id}/oauth-clients/{integration}',
    name: 'putOAuthClient',
    summary: "Use the tenant's own OAuth client for an integration",
    tag,
    params: { id: Id, integration: Id },
    body: OwnClientBody,
    answers: { 200: OwnClientAnswer },
    handle: async ({ caller, actor, params: { id, integration }, body: { clientId, clientSecret } }) => {
      const client = { id: clientId, secret: clientSecret === undefined ? undefined : new Secret(clientSecret) }
      await flows.putOwnClient({ caller, actor, tenant: id, integration, client })
      return { status: 200, body: { integration, clientId } }
    },
  }),
  route({
    method: 'delete',
    path: '/tenants/{id}/oauth-clients/{integration}',
    name: 'deleteOAuthClient',
    summary: "Go back to the deployment's OAuth client",
    tag,
    params: { id: Id, integration: Id },
    answers: { 204: undefined },
    handle: async ({ caller, actor, params: { id, integration } }) => {
      await flows.deleteOwnClient({ caller, actor, tenant: id, integration })
      return { status: 204 }
    },
  }),
  route({
    method: 'get',
    path: '/integrations',
    name: 'listIntegrations',
    summary: 'List integrations that can be linked',
    tag: 'Integrations',
    answers: { 200: z.strictObject({ data: z.array(IntegrationAnswer) }) },
    handle: async ({ caller }) => {
      return { status: 200, body: { data: (await flows.listIntegrations({ caller })).map(integrationAnswer) } }
    },
  }),
]
