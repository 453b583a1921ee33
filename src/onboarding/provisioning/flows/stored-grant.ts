// Opening and revoking a grant that was stored when its link was done.
import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Seal } from '../../domain/ports/shared.ts'
import { sealContext } from '../../domain/seal-context.ts'
import type { StoredGrant } from '../../domain/stored-grant.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

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

export async function revokeStoredGrant(
  needs: { seal: Seal; provider: Provider },
  ready: ReadyIntegration,
  owner: Owner,
  grant: StoredGrant,
): Promise<boolean> {
  const opened = openStoredGrant(needs, owner, grant)
  return opened !== undefined && (await needs.provider.revoke(ready, opened.raw, opened.trialRefresh)) === 'revoked'
}
