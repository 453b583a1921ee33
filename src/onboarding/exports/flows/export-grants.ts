// Grants of a tenant, for taking them along. Only an operator's command asks for them, and what it gets is encrypted
// for a key of the tenant before it leaves this file's caller.
import type { Actor } from '../../domain/audit/audit.ts'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import type { Connection } from '../../domain/connection.ts'
import { missing } from '../../domain/failure.ts'
import type { Connections, StoredGrants } from '../../domain/ports/connections.ts'
import type { GrantTokens, Provider } from '../../domain/ports/provider.ts'
import type { Audit, Integrations, Seal } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { openStoredGrant } from '../../provisioning/flows/stored-grant.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'

export type GrantExportNeeds = {
  tenants: Tenants
  integrations: Integrations
  connections: Connections
  storedGrants: StoredGrants
  provider: Pick<Provider, 'tokensOf'>
  seal: Seal
  audit: Audit
}

/**
 * `not_stored`: our copy was never kept. `rotates`: the platform has replaced the token since, or may have, and using an
 * old one could end the grant (RFC 9700 §4.14.2). `no_client`: the integration or its client is gone.
 */
export type GrantLeftOut = 'not_stored' | 'rotates' | 'no_client'

export type ExportedGrant = { connection: Connection } & (
  | { clientId: string; tokens: GrantTokens; leftOut?: undefined }
  | { leftOut: GrantLeftOut }
)

type ExportGrants = { actor: Actor; tenant: string; keyThumbprint: string }

export const exportGrants =
  (needs: GrantExportNeeds) =>
  async ({ actor, tenant, keyThumbprint }: ExportGrants): Promise<AsyncGenerator<ExportedGrant, void, undefined>> => {
    if (!(await needs.tenants.find(tenant))) throw missing('tenant')
    // Written first: what was read may have left, whatever becomes of the command.
    await needs.audit.note({ action: 'tenant.exported', actor, ...aboutTenant(tenant), facts: { keyThumbprint } })
    return grantsOf(needs, tenant)
  }

async function* grantsOf(needs: GrantExportNeeds, tenant: string): AsyncGenerator<ExportedGrant, void, undefined> {
  const any = { integration: undefined, status: undefined, cause: undefined, endUserId: undefined }
  for (let cursor: string | undefined; ; ) {
    const page = await needs.connections.list({ ...any, tenant, cursor, limit: 200 })
    for (const connection of page.data) {
      if (connection.status !== 'disconnected') yield await grantOf(needs, connection)
    }
    cursor = page.nextCursor
    if (cursor === undefined) return
  }
}

async function grantOf(needs: GrantExportNeeds, connection: Connection): Promise<ExportedGrant> {
  const stored = await needs.storedGrants.find(connection.id, 'current')
  if (!stored?.sealed) return { connection, leftOut: 'not_stored' }
  if (stored.rotates) return { connection, leftOut: 'rotates' }
  const ready = await findClient(needs, connection).catch(undefinedIfMissing)
  if (!ready) return { connection, leftOut: 'no_client' }
  const { grant, rotation } = ready.integration
  // Where the profile does not say, the platform may have been given another one at its first use.
  if (grant === 'refresh' && rotation !== 'none') return { connection, leftOut: 'rotates' }
  const opened = openStoredGrant(needs, connection, stored)
  const tokens = opened && needs.provider.tokensOf(ready.integration, opened.raw, opened.trialRefresh)
  return tokens
    ? { connection, clientId: stored.clientId ?? ready.client.id, tokens }
    : { connection, leftOut: 'not_stored' }
}
