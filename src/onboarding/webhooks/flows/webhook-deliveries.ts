import type { Actor } from '../../domain/audit/audit.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import type { DeliveryQuery } from '../../domain/ports/webhooks.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Caller } from '../../domain/tenant.ts'
import type { Delivery } from '../../domain/webhooks/delivery.ts'
import type { Webhook } from '../../domain/webhooks/webhook.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

export async function listDeliveries(
  ports: Ports,
  { caller, ...query }: DeliveryQuery & { caller: Caller },
): Promise<Page<Delivery>> {
  await readTenant(ports, { caller, id: query.tenant })
  return ports.deliveries.list(query)
}

export async function readDelivery(
  ports: Ports,
  { caller, tenant, id }: { caller: Caller; tenant: string; id: string },
): Promise<Delivery> {
  await readTenant(ports, { caller, id: tenant })
  const delivery = await ports.deliveries.find(tenant, id)
  if (!delivery) throw missing('delivery')
  return delivery
}

type ReplayDelivery = {
  caller: Caller
  actor: Actor
  tenant: string
  delivery: string
  reason?: string | undefined
}

export async function replayDelivery(
  ports: Ports,
  settings: Settings,
  { caller, actor, tenant, delivery: id, reason }: ReplayDelivery,
): Promise<Delivery> {
  const before = await readDelivery(ports, { caller, tenant, id })
  await limitRate(ports, settings.rates.send, tenant)
  const replayed = await ports.deliveries.replay(tenant, id, {
    action: 'webhook.replayed',
    actor,
    subject: { kind: 'webhook_delivery', id },
    tenant,
    reason,
    before: { status: before.status },
    after: { status: 'pending' },
  })
  if (!replayed) throw new Failure('webhook_disabled', 'The webhook is disabled. Enable it first.')
  const delivery = await ports.deliveries.find(tenant, id)
  if (!delivery) throw missing('delivery')
  return delivery
}

type ReplayFailed = { caller: Caller; actor: Actor; tenant: string; webhook: string; reason: string }

const maxReplayed = 1_000

/** The endpoints of a tenant with deliveries that were given up. */
export async function webhooksWithFailed({ deliveries }: Ports, tenant: string, webhooks: readonly Webhook[]) {
  const asked = { tenant, status: 'dead', cursor: undefined, limit: 1 } as const
  const found = await Promise.all(webhooks.map(({ id }) => deliveries.list({ ...asked, webhook: id })))
  return new Set(webhooks.filter((_, at) => found[at]?.data.length).map(({ id }) => id))
}

export async function replayFailed(
  ports: Ports,
  settings: Settings,
  { caller, actor, tenant, webhook: id, reason }: ReplayFailed,
): Promise<number> {
  await readTenant(ports, { caller, id: tenant })
  await limitRate(ports, settings.rates.send, tenant)
  const subject = { kind: 'webhook' as const, id }
  const audit = { action: 'webhook.failed_replayed' as const, actor, subject, tenant, reason }
  return ports.deliveries.replayDead({ tenant, id }, maxReplayed, audit)
}
