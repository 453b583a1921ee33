import type { Connections, HealthChecks, StoredGrants } from '../../domain/ports/connections.ts'
import type { ManageSessions } from '../../domain/ports/manage-sessions.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Idempotency, Integrations, Seal } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Deliveries, Webhooks } from '../../domain/ports/webhooks.ts'
import type { StoredGrant } from '../../domain/stored-grant.ts'
import { revokeStoredGrant } from '../../provisioning/flows/stored-grant.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'

type Needs = {
  idempotency: Idempotency
  webhooks: Webhooks
  deliveries: Deliveries
  storedGrants: StoredGrants
  connections: Connections
  links: Links
  tenants: Tenants
  integrations: Integrations
  provider: Provider
  seal: Seal
  manageSessions: ManageSessions
  healthChecks: HealthChecks
}

/** How long events and their deliveries can be looked up and replayed. */
const eventDays = 30

/** How long the health of an integration can be looked up, day by day. */
const healthDays = 400

/** Deletes what is no longer needed, so that the ledger does not grow without limit. The audit log stays. */
export const forgetOld = (needs: Needs) => async (): Promise<void> => {
  const { idempotency, webhooks, deliveries, tenants } = needs
  await idempotency.forgetOld()
  await webhooks.forgetSecrets()
  await tenants.forgetSigningSecrets()
  await needs.manageSessions.forgetOld()
  await needs.healthChecks.forgetOldDays(healthDays)
  while (await forgetGrants(needs));
  while ((await deliveries.forgetOld(eventDays, batch)) === batch);
}

/** Wipes expired previous grants. If the provider can revoke a single token, that is tried first. */
async function forgetGrants(needs: Needs): Promise<boolean> {
  const expired = await needs.storedGrants.expired(few)
  const forgotten = await Promise.allSettled(expired.map((grant) => forgetGrant(needs, grant)))
  const broken = forgotten.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // it is still stored, and is tried again at the next turn
  return expired.length === few
}

async function forgetGrant(needs: Needs, grant: StoredGrant): Promise<void> {
  const connection = await needs.connections.find(grant.connectionId)
  const ready = connection && (await findClient(needs, connection).catch(undefinedIfMissing))
  if (connection && ready?.integration.revocation.reach === 'token') {
    await revokeStoredGrant(needs, ready, connection, grant)
  }
  await needs.storedGrants.wipe(grant.linkId)
}

const few = 20

// Small enough to stay well below the statement timeout.
const batch = 1_000
