import { route } from '../../http/route.ts'
import { Id } from '../../http/schemas.ts'
import type { TenantFlows } from '../flows/tenant-flows.ts'
import { TenantAnswer, tenantAnswer } from './tenants.ts'

type Needs = Pick<TenantFlows, 'suspendTenant' | 'reactivateTenant'>

const tag = 'Tenants'

export const tenantStatusRoutes = (flows: Needs) => [
  route({
    method: 'post',
    path: '/tenants/{tenantId}/suspend',
    operationId: 'suspendTenant',
    summary: 'Suspend a tenant',
    description:
      'Nothing new begins for it: no connect session can be created and no open one started. Links in progress finish, and connections, functions and webhooks go on. Asking again changes nothing. Only for keys of the deployment.',
    tag,
    params: { tenantId: Id },
    answers: { 200: TenantAnswer },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ caller, actor, params: { tenantId: id } }) => {
      return { status: 200, body: tenantAnswer(await flows.suspendTenant({ caller, actor, id })) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/reactivate',
    operationId: 'reactivateTenant',
    summary: 'Reactivate a tenant',
    description: 'Ends its suspension. Asking again changes nothing. Only for keys of the deployment.',
    tag,
    params: { tenantId: Id },
    answers: { 200: TenantAnswer },
    failures: ['key_limited', 'tenant_deleted'],
    handle: async ({ caller, actor, params: { tenantId: id } }) => {
      return { status: 200, body: tenantAnswer(await flows.reactivateTenant({ caller, actor, id })) }
    },
  }),
]
