// Opening and revoking a grant that was stored when its link was done.
import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Connection } from '../../domain/connection.ts'
import type { StoredGrants } from '../../domain/ports/connections.ts'
import type { Provider, RevocationOutcome } from '../../domain/ports/provider.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Integrations, Seal } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { isIssuedBy, type KnownOrigin, originOf, type StoredGrant } from '../../domain/stored-grant.ts'
import { findClient, issuedTo, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'

type Owner = Pick<Connection, 'tenant' | 'workspace'>

/** Returns undefined if only its fingerprint was kept. */
export function openStoredGrant(
  { seal }: { seal: Seal },
  { tenant, workspace }: Owner,
  { linkId, sealed, trialRefresh }: StoredGrant,
): { raw: Secret; trialRefresh: Secret | undefined } | undefined {
  if (!sealed) return undefined
  const at = { id: linkId, tenant, workspace }
  return {
    raw: seal.open(sealed, sealContext.escrow(at)),
    trialRefresh: trialRefresh ? seal.open(trialRefresh, sealContext.trialRefresh(at)) : undefined,
  }
}

type ConsentNeeds = { storedGrants: Pick<StoredGrants, 'sharesConsent'> }

/**
 * Whether others live off what the account of a connection granted: to the client that its grant was issued to, or to the
 * one that the tenant has by now, which the provider would be asked with.
 */
export async function sharesGrant(
  { storedGrants }: ConsentNeeds,
  ready: ReadyIntegration,
  { id: except, integration, account }: Pick<Connection, 'id' | 'integration' | 'account'>,
  grant: KnownOrigin,
): Promise<boolean> {
  if (!account) return false
  for (const origin of originsOf(ready, grant)) {
    if (await storedGrants.sharesConsent({ integration, accountId: account.id, except, ...origin })) return true
  }
  return false
}

/** Of whom the provider may take what is asked for to be: the client of the grant, and the one that is used by now. */
export function originsOf(ready: ReadyIntegration, { clientId, issuer, tokenEndpoint }: KnownOrigin) {
  const now = originOf(ready)
  return clientId === undefined || clientId === now.clientId ? [now] : [{ clientId, issuer, tokenEndpoint }, now]
}

type RevokeNeeds = { seal: Seal; provider: Provider; links: Links; tenants: Tenants; integrations: Integrations }

export type StoredRevocation = RevocationOutcome | 'not_kept' | 'client_gone'

export async function revokeStoredGrant(
  needs: RevokeNeeds,
  ready: ReadyIntegration,
  connection: Connection,
  grant: StoredGrant,
): Promise<StoredRevocation> {
  const opened = openStoredGrant(needs, connection, grant)
  if (!opened) return 'not_kept'
  const server = await issuingServer(needs, ready, connection, grant)
  const issuing = server && issuedTo(server, grant.clientId)
  if (!issuing) return 'client_gone'
  return needs.provider.revoke(issuing, opened.raw, opened.trialRefresh)
}

/** The integration as it was for the link that brought the grant; undefined if that is not known any more. */
async function issuingServer(
  needs: RevokeNeeds,
  ready: ReadyIntegration,
  { tenant, integration }: Connection,
  { linkId }: StoredGrant,
): Promise<ReadyIntegration | undefined> {
  const config = (await needs.links.find(linkId))?.config
  if (isIssuedBy(ready.integration, config)) return ready
  const before = await findClient(needs, { tenant, integration, config: config ?? {} }).catch(undefinedIfMissing)
  return before && isIssuedBy(before.integration, config) ? before : undefined
}
