import type { Integration } from '../../domain/integration.ts'
import type { Integrations } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Caller } from '../../domain/tenant.ts'

export type Offered = { integration: Integration; available: boolean }

/** Available means that a link can be started: the deployment, or the tenant who asks, has an OAuth client there. */
export const listIntegrations =
  ({ integrations, tenants }: { integrations: Integrations; tenants: Tenants }) =>
  async ({ caller }: { caller: Caller }): Promise<Offered[]> => {
    const own = caller.tenant === undefined ? [] : await tenants.ownClients(caller.tenant)
    return integrations.all().map((integration) => ({
      integration,
      available: integration.client !== undefined || own.some((client) => client.integration === integration.id),
    }))
  }
