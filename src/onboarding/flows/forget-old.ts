import type { Adapters } from './adapters.ts'
import { findClient } from './find-client.ts'
import { revokeKeptGrant } from './kept-grant.ts'

type Needs = Pick<
  Adapters,
  'idempotency' | 'deliveries' | 'keptGrants' | 'connections' | 'tenants' | 'integrations' | 'provider' | 'seal'
>

/** How long an event and what became of its messages can be looked up and replayed. */
const eventDays = 30

/** What nobody will ask for again goes, so that the ledger does not grow for ever. The audit stays. */
export const forgetOld = (needs: Needs) => async (): Promise<void> => {
  const { idempotency, deliveries } = needs
  await idempotency.forgetOld()
  while (await forgetGrants(needs));
  while ((await deliveries.forgetOld(eventDays, batch)) === batch);
}

/** Grants that were kept to go back to. Where one token can be revoked alone, that is tried once more. */
async function forgetGrants(needs: Needs): Promise<boolean> {
  const outlived = await needs.keptGrants.outlived(few)
  for (const grant of outlived) {
    const connection = await needs.connections.find(grant.connectionId)
    const ready =
      connection && (await findClient(needs, connection.tenant, connection.integration).catch(() => undefined))
    if (connection && ready?.integration.revocationReach === 'token')
      await revokeKeptGrant(needs, ready, connection, grant)
    await needs.keptGrants.wipe(grant.linkId)
  }
  return outlived.length === few
}

const few = 20

// Small enough for a statement to end well before its time is up.
const batch = 1_000
