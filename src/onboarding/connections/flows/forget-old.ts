import type { Ports } from '../../domain/ports/ports.ts'
import type { StoredGrant } from '../../domain/stored-grant.ts'
import { revokeStoredGrant } from '../../provisioning/flows/stored-grant.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'

const eventDays = 30

const healthDays = 400

export async function forgetOld(ports: Ports): Promise<void> {
  const { idempotency, webhooks, deliveries, tenants } = ports
  await idempotency.forgetOld()
  await webhooks.forgetSecrets()
  await tenants.forgetSigningSecrets()
  await ports.manageSessions.forgetOld()
  await ports.healthChecks.forgetOldDays(healthDays)
  while (await forgetGrants(ports));
  while ((await deliveries.forgetOld(eventDays, batch)) === batch);
}

async function forgetGrants(ports: Ports): Promise<boolean> {
  const expired = await ports.storedGrants.expired(few)
  const forgotten = await Promise.allSettled(expired.map((grant) => forgetGrant(ports, grant)))
  const broken = forgotten.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // still stored, so it is retried
  return expired.length === few
}

async function forgetGrant(ports: Ports, grant: StoredGrant): Promise<void> {
  const connection = await ports.connections.find(grant.connectionId)
  const ready = connection && (await findClient(ports, connection).catch(undefinedIfMissing))
  if (connection && ready?.integration.revocation.reach === 'token') {
    await revokeStoredGrant(ports, ready, connection, grant)
  }
  await ports.storedGrants.wipe(grant.linkId)
}

const few = 20

const batch = 1_000
