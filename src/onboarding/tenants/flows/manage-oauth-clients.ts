import type { Actor } from '../../domain/audit/audit.ts'
import { missing } from '../../domain/failure.ts'
import type { ClientAuthentication, OAuthClient, OwnClient } from '../../domain/integration.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { assertActive, type Caller } from '../../domain/tenant.ts'
import { readTenant } from './manage-tenants.ts'

type PutOwnClient = {
  caller: Caller
  actor: Actor
  tenant: string
  integration: string
  client: OAuthClient
  reason?: string | undefined
}

/** `method` is undefined if the integration is no longer offered. */
export type ListedClient = OwnClient & { method: ClientAuthentication | undefined }

export async function listOwnClients(
  ports: Ports,
  { caller, tenant }: Pick<PutOwnClient, 'caller' | 'tenant'>,
): Promise<ListedClient[]> {
  await readTenant(ports, { caller, id: tenant })
  return (await ports.tenants.ownClients(tenant)).map((client) => {
    const profile = ports.integrations.find(client.integration)
    return { ...client, method: client.hasSecret ? profile?.clientAuthentication : 'none' }
  })
}

export async function putOwnClient(
  ports: Ports,
  { caller, actor, tenant, integration, client, reason }: PutOwnClient,
): Promise<void> {
  assertActive(await readTenant(ports, { caller, id: tenant }))
  if (!ports.integrations.find(integration)) throw missing('integration')
  const audit = { action: 'tenant.oauth_client_put' as const, actor, ...aboutClient(tenant, integration), reason }
  await ports.tenants.putOwnClient(tenant, integration, client, audit)
}

export async function deleteOwnClient(
  ports: Ports,
  { caller, actor, tenant, integration, reason }: Omit<PutOwnClient, 'client'>,
): Promise<void> {
  await readTenant(ports, { caller, id: tenant })
  const audit = { action: 'tenant.oauth_client_deleted' as const, actor, ...aboutClient(tenant, integration), reason }
  const deleted = await ports.tenants.deleteOwnClient(tenant, integration, audit)
  if (!deleted) throw missing('OAuth client')
}

const aboutClient = (tenant: string, integration: string) => ({
  subject: { kind: 'oauth_client' as const, id: integration },
  tenant,
})
