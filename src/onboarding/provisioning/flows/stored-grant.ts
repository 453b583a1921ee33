import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { RevocationOutcome } from '../../domain/ports/provider.ts'
import type { ConsentUnderWay } from '../../domain/ports/provisioning.ts'
import type { Seal } from '../../domain/ports/shared.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { isIssuedBy, type KnownOrigin, originOf, type StoredGrant } from '../../domain/stored-grant.ts'
import { findClient, issuedTo, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'

type Owner = Pick<Connection, 'tenant' | 'workspace'>

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

type ConsentUser = ConsentUnderWay & Pick<Connection, 'account'>

/** Revoking a token may end the whole consent, and so break other connections of the account. */
export async function mayRevoke(
  { links, storedGrants }: Ports,
  ready: ReadyIntegration,
  { account, ...user }: ConsentUser,
  grant: KnownOrigin,
): Promise<boolean> {
  if (ready.integration.revocation.reach === 'token') return true
  // The account of a link in progress may be unknown, so assume that it shares the consent.
  // Asked first: a link that ends between the two questions has its connection by the second.
  if (await links.hasConsentUnderWay(user)) return false
  const { integration, tenant, exceptConnection: except } = user
  for (const origin of account ? originsOf(ready, grant) : []) {
    if (account && (await storedGrants.sharesConsent({ integration, tenant, account, except, ...origin }))) return false
  }
  return true
}

/** The provider may attribute the consent to the client of the grant or to the tenant's current client. */
function originsOf(ready: ReadyIntegration, { clientId, issuer, tokenEndpoint }: KnownOrigin) {
  const now = originOf(ready)
  return clientId === undefined || clientId === now.clientId ? [now] : [{ clientId, issuer, tokenEndpoint }, now]
}

type StoredRevocation = RevocationOutcome | 'not_kept' | 'client_gone'

export async function revokeStoredGrant(
  ports: Ports,
  ready: ReadyIntegration,
  connection: Connection,
  grant: StoredGrant,
): Promise<StoredRevocation> {
  const opened = openStoredGrant(ports, connection, grant)
  if (!opened) return 'not_kept'
  const server = await issuingServer(ports, ready, connection, grant)
  const issuing = server && issuedTo(server, grant.clientId)
  if (!issuing) return 'client_gone'
  return ports.provider.revoke(issuing, opened.raw, opened.trialRefresh)
}

async function issuingServer(
  ports: Ports,
  ready: ReadyIntegration,
  { tenant, integration }: Connection,
  { linkId }: StoredGrant,
): Promise<ReadyIntegration | undefined> {
  const config = (await ports.links.find(linkId))?.config
  const isReplaced = config?.client_id !== undefined && config.client_id !== ready.client.id
  if (isIssuedBy(ready.integration, config) && !isReplaced) return ready
  const before = await findClient(ports, { tenant, integration, config: config ?? {} }).catch(undefinedIfMissing)
  return before && isIssuedBy(before.integration, config) ? before : undefined
}
