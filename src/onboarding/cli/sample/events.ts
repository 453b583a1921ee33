// What tenants of the sample were told, and whether it arrived.
import type { DeliveryFailureReason } from '../../domain/webhooks/delivery.ts'
import { tenantOfDisabledEndpoint } from './cast.ts'
import type { Chance } from './chance.ts'
import { type Draft, later, type MakeId } from './draft.ts'
import type { Tell } from './links.ts'

type Needs = { draft: Draft; chance: Chance; makeId: MakeId; webhookOf: (tenant: string) => string; now: Date }

type Delivery = {
  status: 'delivered' | 'dead' | 'pending'
  attempts: number
  responseStatus: number | null
  failureReason: DeliveryFailureReason | null
}

const delivered: Delivery = { status: 'delivered', attempts: 1, responseStatus: 200, failureReason: null }

export const telling =
  ({ draft, chance, makeId, webhookOf, now }: Needs): Tell =>
  ({ at, tenant, name, payload }) => {
    const id = makeId('evt', at)
    draft.rows.outbox.push({ id, tenant, event: name, payload, created_at: at, due_at: null })
    const webhook = webhookOf(tenant)
    const { status, attempts, responseStatus, failureReason } = deliveryOf(tenant, at, now, chance)
    draft.rows.webhook_deliveries.push({
      id: `dlv_${id.slice(4)}${webhook.slice(-12)}`,
      webhook,
      event: id,
      tenant,
      status,
      attempts,
      response_status: responseStatus,
      failure_reason: failureReason,
      // Nobody is at that address, so what waits is not sent while somebody looks at the sample.
      due_at: status === 'pending' ? later(now, 6 * 60 * 60) : null,
      delivered_at: status === 'delivered' ? later(at, attempts * 3) : null,
      created_at: at,
    })
  }

const hourMs = 60 * 60 * 1_000

function deliveryOf(tenant: string, at: Date, now: Date, chance: Chance): Delivery {
  const ageMs = now.getTime() - at.getTime()
  if (tenant === tenantOfDisabledEndpoint && ageMs < 48 * hourMs) {
    return { status: 'dead', attempts: 0, responseStatus: null, failureReason: 'webhook_disabled' }
  }
  if (ageMs < 36 * hourMs && chance.happens(0.2)) {
    return { status: 'pending', attempts: 9, responseStatus: 503, failureReason: 'refused' }
  }
  if (chance.happens(0.01)) return { status: 'dead', attempts: 12, responseStatus: 500, failureReason: 'refused' }
  return chance.happens(0.05) ? { ...delivered, attempts: 3 } : delivered
}
