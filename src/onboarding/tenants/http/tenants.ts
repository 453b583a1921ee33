import { z } from 'zod'
import { nameError } from '../../domain/branding/plain-text.ts'
import { returnUrlError } from '../../domain/linking/return-url.ts'
import {
  longestRotationSeconds,
  type Tenant,
  tenantIdPattern,
  tenantStatuses,
  usualRotationSeconds,
  workspacePattern,
} from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import {
  after,
  Id,
  limit,
  listAnswer,
  listOf,
  shown,
  TenantId,
  testMode,
  testModeOf,
  time,
} from '../../http/schemas.ts'
import type { TenantFlows } from '../flows/tenant-flows.ts'
import { Branding, LogosAnswer, logosAnswer } from './branding.ts'

const DisplayName = shown(63).superRefine((name, context) => {
  const message = nameError(name)
  if (message) context.addIssue({ code: 'custom', message })
})

const ReturnUrl = z
  .string()
  .max(2_000)
  .superRefine((url, context) => {
    const message = returnUrlError(url)
    if (message) context.addIssue({ code: 'custom', message })
  })

const exampleBody = {
  workspace: 'acme',
  displayName: 'Acme',
  returnUrls: ['https://app.acme.example/integrations/return'],
}

export const TenantBody = z
  .strictObject({
    workspace: z.string().regex(workspacePattern, 'must be lowercase letters, digits and hyphens, at most 63').meta({
      description:
        'The workspace on the platform where its connections and functions are created. Ignored in test mode, where the platform is not used.',
    }),
    displayName: DisplayName.meta({ description: 'What its users know it by: it is on every page they see.' }),
    returnUrls: z
      .array(ReturnUrl)
      .min(1)
      .max(50)
      .meta({ description: 'Where browsers may be sent back to. Compared letter for letter.' }),
    branding: Branding.optional().meta({
      description: 'How the pages look that its users see. Replaced as a whole; without it, it stays as it is.',
    }),
    maxConnectionsPerUser: z.int().min(0).max(1_000).optional().meta({
      description:
        'How many connections to one integration a user may have, without those that were disconnected. 0, as at first: any number. Connections beyond a lower limit stay.',
    }),
  })
  .meta({ id: 'TenantRequest', description: 'A tenant as it should be.', examples: [exampleBody] })

const CreateTenantBody = TenantBody.extend({
  id: TenantId.optional().meta({
    description: 'Choose one that you know the tenant by, or get one. In test mode it begins with `test_`.',
  }),
}).meta({
  id: 'CreateTenantRequest',
  description: 'A new tenant.',
  examples: [{ id: 'acme', ...exampleBody }],
})

const UpdateTenantBody = TenantBody.partial()
  .refine((changes) => Object.keys(changes).length > 0, 'must have at least one member')
  .meta({
    id: 'UpdateTenantRequest',
    description: 'What changes about a tenant.',
    examples: [{ displayName: 'Acme Corporation' }],
  })

const SigningRotationBody = z
  .strictObject({
    afterSeconds: z
      .int()
      .min(0)
      .max(longestRotationSeconds)
      .default(usualRotationSeconds)
      .meta({ description: 'How long the current secret goes on signing. 0 where it has leaked.' }),
  })
  .meta({
    id: 'SigningSecretRotationRequest',
    description: 'When the new secret begins to sign.',
    examples: [{ afterSeconds: usualRotationSeconds }],
  })

const exampleTenant = {
  id: 'acme',
  ...exampleBody,
  maxConnectionsPerUser: 0,
  status: 'active',
  createdAt: '2026-11-15T03:00:00.000Z',
  updatedAt: '2026-11-15T03:00:00.000Z',
}

export const TenantAnswer = z
  .strictObject({
    id: z.string(),
    testMode,
    workspace: z.string(),
    displayName: z.string(),
    returnUrls: z.array(z.string()),
    branding: Branding.optional().meta({ description: 'Absent if nothing was set.' }),
    logos: LogosAnswer.optional().meta({ description: 'Absent if there are none.' }),
    maxConnectionsPerUser: z
      .int()
      .meta({ description: 'How many connections to one integration a user may have. 0: any number.' }),
    status: z.enum(tenantStatuses).meta({
      description:
        'Nothing can be started for a tenant that is `suspended`, or `deleting`; its deletion says how far that is.',
    }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Tenant', description: 'A customer of the deployment.', examples: [exampleTenant] })

const exampleSecret = 'n4bQgYhMfWWaL-qgxVrQFaO_TxsrC4Is0V1sFbDwCgg'

const CreatedTenantAnswer = TenantAnswer.extend({
  signingSecret: z.string().meta({ description: 'Verifies `sig` on return URLs. Shown only once.' }),
}).meta({
  id: 'CreatedTenant',
  description: 'The new tenant, with the secret that signs its return URLs.',
  examples: [{ ...exampleTenant, signingSecret: exampleSecret }],
})

const RotatedSigningSecretAnswer = z
  .strictObject({
    secret: z.string().meta({ description: 'Verifies `sig` on return URLs. Shown only once.' }),
    activeFrom: time.meta({ description: 'From then on results are signed with `secret`.' }),
    previousSecretExpiresAt: time.meta({
      description: 'Until then accept a signature by either secret: results travel by browser.',
    }),
  })
  .meta({
    id: 'RotatedSigningSecret',
    description: 'The secret that will sign return URLs, and when.',
    examples: [
      {
        secret: exampleSecret,
        activeFrom: '2026-11-16T03:00:00.000Z',
        previousSecretExpiresAt: '2026-11-16T03:01:00.000Z',
      },
    ],
  })

export const tenantAnswer = (tenant: Tenant): z.input<typeof TenantAnswer> => ({
  id: tenant.id,
  ...testModeOf(tenant.id),
  workspace: tenant.workspace,
  displayName: tenant.displayName,
  returnUrls: tenant.returnUrls,
  ...(Object.keys(tenant.branding).length > 0 && { branding: tenant.branding }),
  ...logosAnswer(tenant.logos),
  maxConnectionsPerUser: tenant.maxConnectionsPerUser,
  status: tenant.status,
  createdAt: tenant.createdAt.toISOString(),
  updatedAt: tenant.updatedAt.toISOString(),
})

type Needs = Pick<
  TenantFlows,
  'createTenant' | 'putTenant' | 'updateTenant' | 'rotateSigningSecret' | 'readTenant' | 'listTenants'
>

const tag = 'Tenants'

export const tenantRoutes = (flows: Needs) => [
  route({
    method: 'get',
    path: '/tenants',
    operationId: 'listTenants',
    summary: 'List tenants',
    description: 'By id, without those that were deleted. A key of a tenant sees its own tenant only.',
    tag,
    query: z.strictObject({ cursor: after(tenantIdPattern), limit }),
    answers: { 200: listOf(TenantAnswer) },
    handle: async ({ caller, query: { cursor, limit } }) => {
      return { status: 200, body: listAnswer(await flows.listTenants({ caller, cursor, limit }), tenantAnswer) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants',
    operationId: 'createTenant',
    summary: 'Create a tenant',
    description: 'Keep `signingSecret`: it is shown only once. Only for keys of the deployment.',
    tag,
    body: CreateTenantBody,
    answers: { 201: CreatedTenantAnswer },
    failures: ['key_limited', 'workspace_taken', 'workspace_unknown', 'tenant_exists'],
    handle: async ({ caller, actor, claim, body: { id, ...details } }) => {
      const { tenant, signingSecret } = await flows.createTenant({ caller, actor, claim, id, details })
      return { status: 201, body: { ...tenantAnswer(tenant), signingSecret: signingSecret.reveal() } }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{tenantId}',
    operationId: 'getTenant',
    summary: 'Get a tenant',
    description: 'Also one that is being deleted, or was.',
    tag,
    params: { tenantId: Id },
    answers: { 200: TenantAnswer },
    handle: async ({ caller, params: { tenantId: id } }) => {
      return { status: 200, body: tenantAnswer(await flows.readTenant({ caller, id })) }
    },
  }),
  route({
    method: 'put',
    path: '/tenants/{tenantId}',
    operationId: 'putTenant',
    summary: 'Create or replace a tenant',
    description: 'Under an id that you choose. Sent again it changes nothing. Only for keys of the deployment.',
    tag,
    params: { tenantId: TenantId },
    body: TenantBody,
    answers: { 200: TenantAnswer, 201: CreatedTenantAnswer },
    failures: ['key_limited', 'workspace_taken', 'workspace_unknown', 'tenant_deleted'],
    handle: async ({ caller, actor, params: { tenantId: id }, body }) => {
      const { tenant, signingSecret } = await flows.putTenant({ caller, actor, tenant: { id, ...body } })
      if (!signingSecret) return { status: 200, body: tenantAnswer(tenant) }
      return { status: 201, body: { ...tenantAnswer(tenant), signingSecret: signingSecret.reveal() } }
    },
  }),
  route({
    method: 'patch',
    path: '/tenants/{tenantId}',
    operationId: 'updateTenant',
    summary: 'Update a tenant',
    description: 'Members that are absent stay as they are. Only for keys of the deployment.',
    tag,
    params: { tenantId: Id },
    body: UpdateTenantBody,
    answers: { 200: TenantAnswer },
    failures: ['key_limited', 'workspace_taken', 'workspace_unknown', 'tenant_deleted'],
    handle: async ({ caller, actor, params: { tenantId: id }, body }) => {
      return { status: 200, body: tenantAnswer(await flows.updateTenant({ caller, actor, id, changes: body })) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/rotate-signing-secret',
    operationId: 'rotateSigningSecret',
    summary: 'Rotate the signing secret of a tenant',
    description:
      'Makes the secret that will sign results on return URLs. The current one signs until `activeFrom`, so that the tenant can first learn to accept both. Only for keys of the deployment.',
    tag,
    params: { tenantId: Id },
    body: SigningRotationBody,
    answers: { 200: RotatedSigningSecretAnswer },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ caller, actor, params: { tenantId: id }, body: { afterSeconds } }) => {
      const rotated = await flows.rotateSigningSecret({ caller, actor, id, afterSeconds })
      return {
        status: 200,
        body: {
          secret: rotated.secret.reveal(),
          activeFrom: rotated.activeFrom.toISOString(),
          previousSecretExpiresAt: rotated.previousSecretExpiresAt.toISOString(),
        },
      }
    },
  }),
]
