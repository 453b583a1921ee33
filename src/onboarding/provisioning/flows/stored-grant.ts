// Opening and revoking a grant that was kept after its link was done.

import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Seal } from '../../domain/ports/shared.ts'
import { place } from '../../domain/sealed-place.ts'
import type { KeptGrant } from '../../domain/stored-grant.ts'

import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'

type Owner = Pick<Connection, 'tenant' | 'workspace'>

/** Nothing when only its fingerprint was kept. */
export function openKeptGrant(
  { seal }: { seal: Seal },
  { tenant, workspace }: Owner,
  { linkId, sealed, proof }: KeptGrant,
): { raw: Secret; proof: Secret | undefined } | undefined {
  if (!sealed) return undefined
  const at = { id: linkId, tenant, workspace }
  return { raw: seal.open(sealed, place.escrow(at)), proof: proof ? seal.open(proof, place.proof(at)) : undefined }
}

export async function revokeKeptGrant(
  needs: { seal: Seal; provider: Provider },
  ready: ReadyIntegration,
  owner: Owner,
  grant: KeptGrant,
): Promise<boolean> {
  const opened = openKeptGrant(needs, owner, grant)
  return opened !== undefined && (await needs.provider.revoke(ready, opened.raw, opened.proof)) === 'revoked'
}
