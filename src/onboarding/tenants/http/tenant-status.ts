import { route } from '../../http/route.ts'
import { Id } from '../../http/schemas.ts'
import { reactivateTenant, suspendTenant } from '../flows/manage-tenants.ts'
import { TenantAnswer, tenantAnswer } from './tenants.ts'

const tag = 'Tenants'

export const tenantStatusRoutes = [
  route({
    method: 'post',
    path: '/tenants/{tenantId}/suspend',
    operationId: 'suspendTenant',
    client: 'tenants.suspend',
    clientNote: 'Rejects new links. Existing connections continue to work.',
    summary: 'Suspend a tenant',
    description:
      "Connect sessions can't be created or started while the tenant is suspended. Links in progress finish. Connections, functions and webhooks keep working. Idempotent. Requires a deployment key.",
    tag,
    params: { tenantId: Id },
    answers: { 200: TenantAnswer },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, params: { tenantId: id } }) => {
      return { status: 200, body: tenantAnswer(await suspendTenant(ports, { caller, actor, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/reactivate',
    operationId: 'reactivateTenant',
    client: 'tenants.reactivate',
    summary: 'Reactivate a tenant',
    description: 'Ends the suspension. Idempotent. Requires a deployment key.',
    tag,
    params: { tenantId: Id },
    answers: { 200: TenantAnswer },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, params: { tenantId: id } }) => {
      return { status: 200, body: tenantAnswer(await reactivateTenant(ports, { caller, actor, id })) }
    },
  }),
]
