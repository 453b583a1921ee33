import type { Actor } from '../../domain/audit/audit.ts'
import { missing } from '../../domain/failure.ts'
import type { ClientAuthentication, OAuthClient, OwnClient } from '../../domain/integration.ts'
import type { Integrations } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { assertActive, type Caller } from '../../domain/tenant.ts'
import { readTenant } from './manage-tenants.ts'

export type PutOwnClient = {
  caller: Caller
  actor: Actor
  tenant: string
  integration: string
  client: OAuthClient
  reason?: string | undefined
}

type OwnClientNeeds = { tenants: Tenants; integrations: Integrations }

/** `method`: how it authenticates at the third party; undefined when the integration is no longer offered here. */
export type ListedClient = OwnClient & { method: ClientAuthentication | undefined }

export const listOwnClients =
  (needs: OwnClientNeeds) =>
  async ({ caller, tenant }: Pick<PutOwnClient, 'caller' | 'tenant'>): Promise<ListedClient[]> => {
    await readTenant(needs)({ caller, id: tenant })
    return (await needs.tenants.ownClients(tenant)).map((client) => {
      const profile = needs.integrations.find(client.integration)
      return { ...client, method: client.hasSecret ? profile?.clientAuthentication : 'none' }
    })
  }

export const putOwnClient =
  (needs: OwnClientNeeds) =>
  async ({ caller, actor, tenant, integration, client, reason }: PutOwnClient): Promise<void> => {
    assertActive(await readTenant(needs)({ caller, id: tenant }))
    if (!needs.integrations.find(integration)) throw missing('integration')
    const audit = { action: 'tenant.oauth_client_put' as const, actor, ...aboutClient(tenant, integration), reason }
    await needs.tenants.putOwnClient(tenant, integration, client, audit)
  }

export const deleteOwnClient =
  (needs: OwnClientNeeds) =>
  async ({ caller, actor, tenant, integration, reason }: Omit<PutOwnClient, 'client'>): Promise<void> => {
    await readTenant(needs)({ caller, id: tenant })
    const audit = { action: 'tenant.oauth_client_deleted' as const, actor, ...aboutClient(tenant, integration), reason }
    const deleted = await needs.tenants.deleteOwnClient(tenant, integration, audit)
    if (!deleted) throw missing('OAuth client')
  }

const aboutClient = (tenant: string, integration: string) => ({
  subject: { kind: 'oauth_client' as const, id: integration },
  tenant,
})
