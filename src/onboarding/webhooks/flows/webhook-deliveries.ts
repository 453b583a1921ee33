// What became of the messages to a tenant, and sending one again.

import type { Actor } from '../../domain/audit/audit.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Page, RateLimits } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Deliveries, DeliveryQuery } from '../../domain/ports/webhooks.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Caller } from '../../domain/tenant.ts'
import type { Delivery } from '../../domain/webhooks/delivery.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

type Needs = { tenants: Tenants; deliveries: Deliveries }

export const listDeliveries =
  (needs: Needs) =>
  async ({ caller, ...query }: DeliveryQuery & { caller: Caller }): Promise<Page<Delivery>> => {
    await readTenant(needs)({ caller, id: query.tenant })
    return needs.deliveries.list(query)
  }

export const readDelivery =
  (needs: Needs) =>
  async ({ caller, tenant, id }: { caller: Caller; tenant: string; id: string }): Promise<Delivery> => {
    await readTenant(needs)({ caller, id: tenant })
    const delivery = await needs.deliveries.find(tenant, id)
    if (!delivery) throw missing('delivery')
    return delivery
  }

export type ReplayDelivery = {
  caller: Caller
  actor: Actor
  tenant: string
  delivery: string
  reason?: string | undefined
}

export const replayDelivery =
  (needs: Needs & { rates: RateLimits }, settings: Pick<Settings, 'rates'>) =>
  async ({ caller, actor, tenant, delivery: id, reason }: ReplayDelivery): Promise<Delivery> => {
    const before = await readDelivery(needs)({ caller, tenant, id })
    await limitRate(needs)(settings.rates.send, tenant)
    const replayed = await needs.deliveries.replay(tenant, id, {
      action: 'webhook.replayed',
      actor,
      subject: { kind: 'webhook_delivery', id },
      tenant,
      reason,
      before: { status: before.status },
      after: { status: 'pending' },
    })
    if (!replayed) throw new Failure('webhook_disabled', 'Its webhook is disabled. Enable it first.')
    const delivery = await needs.deliveries.find(tenant, id)
    if (!delivery) throw missing('delivery')
    return delivery
  }
