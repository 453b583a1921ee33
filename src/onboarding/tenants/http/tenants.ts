import { z } from 'zod'
import { nameError } from '../../domain/branding/plain-text.ts'
import { returnUrlError } from '../../domain/linking/return-url.ts'
import {
  maxRotationSeconds,
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
import {
  createTenant,
  listTenants,
  putTenant,
  readTenant,
  rotateSigningSecret,
  updateTenant,
} from '../flows/manage-tenants.ts'
import { Branding, LogosAnswer, logosAnswer } from './branding.ts'

const DisplayName = shown(100).superRefine((name, context) => {
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
    workspace: z
      .string()
      .regex(workspacePattern, 'must be lowercase letters, digits and hyphens, at most 63')
      .optional()
      .meta({
        description:
          "The platform workspace that contains the tenant's connections and functions. Required, except in test mode, which does not use the platform.",
      }),
    displayName: DisplayName.meta({ description: 'The name that end users see on every page.' }),
    returnUrls: z
      .array(ReturnUrl)
      .min(1)
      .max(50)
      .meta({ description: 'URLs that browsers may return to. Compared exactly.' }),
    branding: Branding.optional().meta({
      description:
        'The appearance of the pages that end users see. Replaced as a whole if present, otherwise unchanged.',
    }),
    maxConnectionsPerUser: z
      .union([z.int().min(0).max(1_000), z.null().transform(() => 0)])
      .optional()
      .meta({
        description:
          'The max number of connections per end user and integration, without disconnected ones. `null` or 0 (default): no limit. Lowering the limit keeps existing connections.',
      }),
  })
  .meta({ id: 'TenantRequest', description: "The tenant's settings.", examples: [exampleBody] })

const CreateTenantBody = TenantBody.extend({
  id: TenantId.optional().meta({
    description: 'Your ID for the tenant. Generated if absent. In test mode it begins with `test_`.',
  }),
}).meta({
  id: 'CreateTenantRequest',
  description: 'A new tenant.',
  examples: [{ id: 'acme', ...exampleBody }],
})

const UpdateTenantBody = TenantBody.partial()
  .refine((changes) => Object.keys(changes).length > 0, 'must have at least one field')
  .meta({
    id: 'UpdateTenantRequest',
    description: 'The members to change.',
    examples: [{ displayName: 'Acme Corporation' }],
  })

const SigningRotationBody = z
  .strictObject({
    afterSeconds: z
      .int()
      .min(0)
      .max(maxRotationSeconds)
      .default(usualRotationSeconds)
      .meta({ description: 'How long the current secret keeps signing. Use 0 if the secret has leaked.' }),
  })
  .meta({
    id: 'SigningSecretRotationRequest',
    description: 'When the new secret becomes active.',
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
    branding: Branding.optional().meta({ description: 'Absent if not set.' }),
    logos: LogosAnswer.optional().meta({ description: 'Absent if the tenant has no logos.' }),
    maxConnectionsPerUser: z
      .int()
      .meta({ description: 'The max number of connections per end user and integration. 0: no limit.' }),
    status: z.enum(tenantStatuses).meta({
      description:
        'No session or link can be started for a `suspended` or `deleting` tenant. For the progress of a deletion, read the deletion.',
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
    activeFrom: time.meta({ description: 'From this time on, results are signed with `secret`.' }),
    previousSecretExpiresAt: time.meta({
      description: 'Accept signatures of both secrets until this time: results are sent through browsers.',
    }),
  })
  .meta({
    id: 'RotatedSigningSecret',
    description: 'The new signing secret and when it becomes active.',
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

const tag = 'Tenants'

export const tenantRoutes = [
  route({
    method: 'get',
    path: '/tenants',
    operationId: 'listTenants',
    client: 'tenants.list',
    summary: 'List tenants',
    description: 'Ordered by ID, without deleted tenants. A tenant key only returns its own tenant.',
    tag,
    query: z.strictObject({ cursor: after(tenantIdPattern), limit }),
    answers: { 200: listOf(TenantAnswer) },
    handle: async ({ ports, caller, query: { cursor, limit } }) => {
      return { status: 200, body: listAnswer(await listTenants(ports, { caller, cursor, limit }), tenantAnswer) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants',
    operationId: 'createTenant',
    client: 'tenants.create',
    clientNote: '`signingSecret` of the response is shown only once.',
    summary: 'Create a tenant',
    description: 'Store `signingSecret`: it is shown only once. Requires a deployment key.',
    tag,
    body: CreateTenantBody,
    answers: { 201: CreatedTenantAnswer },
    failures: ['key_limited', 'workspace_taken', 'workspace_unknown', 'tenant_exists'],
    handle: async ({ ports, caller, actor, claim, body: { id, ...details } }) => {
      const { tenant, signingSecret } = await createTenant(ports, { caller, actor, claim, id, details })
      return { status: 201, body: { ...tenantAnswer(tenant), signingSecret: signingSecret.reveal() } }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{tenantId}',
    operationId: 'getTenant',
    client: 'tenants.get',
    summary: 'Get a tenant',
    description: 'Also returns tenants that are being deleted or were deleted.',
    tag,
    params: { tenantId: Id },
    answers: { 200: TenantAnswer },
    handle: async ({ ports, caller, params: { tenantId: id } }) => {
      return { status: 200, body: tenantAnswer(await readTenant(ports, { caller, id })) }
    },
  }),
  route({
    method: 'put',
    path: '/tenants/{tenantId}',
    operationId: 'putTenant',
    client: 'tenants.put',
    clientNote: 'Creates or replaces a tenant with an ID of your choice.',
    summary: 'Create or replace a tenant',
    description: 'Uses the ID that you choose. Idempotent. Requires a deployment key.',
    tag,
    params: { tenantId: TenantId },
    body: TenantBody,
    answers: { 200: TenantAnswer, 201: CreatedTenantAnswer },
    failures: ['key_limited', 'workspace_taken', 'workspace_unknown', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, params: { tenantId: id }, body }) => {
      const { tenant, signingSecret } = await putTenant(ports, { caller, actor, tenant: { id, ...body } })
      if (!signingSecret) return { status: 200, body: tenantAnswer(tenant) }
      return { status: 201, body: { ...tenantAnswer(tenant), signingSecret: signingSecret.reveal() } }
    },
  }),
  route({
    method: 'patch',
    path: '/tenants/{tenantId}',
    operationId: 'updateTenant',
    client: 'tenants.update',
    clientNote: 'Absent members are unchanged. Not retried.',
    summary: 'Update a tenant',
    description: 'Absent members stay unchanged. Requires a deployment key.',
    tag,
    params: { tenantId: Id },
    body: UpdateTenantBody,
    answers: { 200: TenantAnswer },
    failures: ['key_limited', 'workspace_taken', 'workspace_unknown', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, params: { tenantId: id }, body }) => {
      return { status: 200, body: tenantAnswer(await updateTenant(ports, { caller, actor, id, changes: body })) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/rotate-signing-secret',
    operationId: 'rotateSigningSecret',
    client: 'tenants.rotateSigningSecret',
    summary: "Rotate a tenant's signing secret",
    description:
      'Creates the secret that signs results on return URLs. The current secret signs until `activeFrom`, so that the tenant can first accept both. Requires a deployment key.',
    tag,
    params: { tenantId: Id },
    body: SigningRotationBody,
    answers: { 200: RotatedSigningSecretAnswer },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, params: { tenantId: id }, body: { afterSeconds } }) => {
      const rotated = await rotateSigningSecret(ports, { caller, actor, id, afterSeconds })
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
