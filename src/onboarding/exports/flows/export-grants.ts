// Grants in plaintext. The caller (an operator's command) must encrypt them for a key of the tenant.
import type { Actor } from '../../domain/audit/audit.ts'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { GrantTokens } from '../../domain/ports/provider.ts'
import { pagesOf } from '../../flows/pages-of.ts'
import { openStoredGrant } from '../../provisioning/flows/stored-grant.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { tenantOf } from '../../tenants/flows/manage-tenants.ts'

/**
 * `not_stored`: we kept no copy. `rotates`: the platform may have replaced the token, and using an old one could end
 * the grant (RFC 9700 §4.14.2). `no_client`: the integration or its client was removed.
 */
type GrantLeftOut = 'not_stored' | 'rotates' | 'no_client'

export type ExportedGrant = { connection: Connection } & (
  | { clientId: string; tokens: GrantTokens; leftOut?: undefined }
  | { leftOut: GrantLeftOut }
)

export async function exportGrants(
  ports: Ports,
  { actor, tenant, keyThumbprint }: { actor: Actor; tenant: string; keyThumbprint: string },
): Promise<AsyncGenerator<ExportedGrant, void, undefined>> {
  await tenantOf(ports, tenant)
  // Audit first: grants may leave the process even if the command fails later.
  await ports.audit.note({ action: 'tenant.exported', actor, ...aboutTenant(tenant), facts: { keyThumbprint } })
  return grantsOf(ports, tenant)
}

async function* grantsOf(ports: Ports, tenant: string): AsyncGenerator<ExportedGrant, void, undefined> {
  const any = { integration: undefined, status: undefined, cause: undefined, endUserId: undefined }
  for await (const page of pagesOf((cursor) => ports.connections.list({ ...any, tenant, cursor, limit: 200 }))) {
    for (const connection of page) {
      if (connection.status !== 'disconnected') yield await grantOf(ports, connection)
    }
  }
}

async function grantOf(ports: Ports, connection: Connection): Promise<ExportedGrant> {
  const stored = await ports.storedGrants.find(connection.id, 'current')
  if (!stored?.sealed) return { connection, leftOut: 'not_stored' }
  if (stored.rotates) return { connection, leftOut: 'rotates' }
  const ready = await findClient(ports, connection).catch(undefinedIfMissing)
  if (!ready) return { connection, leftOut: 'no_client' }
  const { grant, rotation } = ready.integration
  // An unknown rotation policy counts as rotating: the platform may hold a newer token.
  if (grant === 'refresh' && rotation !== 'none') return { connection, leftOut: 'rotates' }
  const opened = openStoredGrant(ports, connection, stored)
  const tokens = opened && ports.provider.tokensOf(ready.integration, opened.raw, opened.trialRefresh)
  return tokens
    ? { connection, clientId: stored.clientId ?? ready.client.id, tokens }
    : { connection, leftOut: 'not_stored' }
}
