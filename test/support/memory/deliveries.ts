import type { ClaimedDelivery, Deliveries, DueDeliveries } from '../../../src/onboarding/domain/ports/webhooks.ts'
import type { Delivery } from '../../../src/onboarding/domain/webhooks/delivery.ts'
import { note } from './audit.ts'
import { fairly } from './fair-turns.ts'
import { fits, newestFirst } from './pages.ts'
import {
  byText,
  byTime,
  change,
  type DeliveryRow,
  inSeconds,
  isPast,
  type OutboxRow,
  type Store,
  type WebhookRow,
} from './tables.ts'
import { liveSecrets } from './webhooks.ts'

const leaseSeconds = 30

export function memoryDeliveries(store: Store): Deliveries {
  const { deliveries, outbox, webhooks } = store.tables
  const settle = ({ id, fence }: ClaimedDelivery, changes: Partial<DeliveryRow>) => {
    if (deliveries.get(id)?.fence === fence) change(deliveries, id, changes)
  }
  const restart = ({ id, fence }: DeliveryRow) =>
    change(deliveries, id, {
      status: 'pending',
      attempts: 0,
      claims: 0,
      fence: fence + 1,
      nextAttemptAt: store.now(),
      deliveredAt: undefined,
      failureReason: undefined,
      responseStatus: undefined,
    })
  return {
    async announce(limit) {
      const due = [...outbox.values()].filter(({ dueAt }) => isPast(store, dueAt))
      const waiting = due.sort(byTime(({ dueAt }) => dueAt)).slice(0, limit)
      for (const event of waiting) {
        change(outbox, event.id, { dueAt: undefined })
        for (const webhook of webhooks.values()) {
          if (webhook.tenant === event.tenant && webhook.events.includes(event.name)) address(store, event, webhook)
        }
      }
      return waiting.length
    },
    async claimDue(query) {
      return dueDeliveries(store, query).map(({ id, attempts, fence, claims }) => {
        const counts = { attempts: attempts + 1, fence: fence + 1, claims: claims + 1 }
        const lease = { nextAttemptAt: inSeconds(store, leaseSeconds), ...counts }
        return toClaimed(store, change(deliveries, id, lease) as DeliveryRow)
      })
    },
    async delivered(claimed, responseStatus) {
      const outcome = {
        status: 'delivered',
        responseStatus,
        failureReason: undefined,
        nextAttemptAt: undefined,
      } as const
      settle(claimed, { ...outcome, deliveredAt: store.now() })
    },
    async postpone(claimed, { failureReason, responseStatus, delaySeconds }) {
      if (deliveries.get(claimed.id)?.status !== 'pending') return
      settle(claimed, { failureReason, responseStatus, nextAttemptAt: inSeconds(store, delaySeconds), claims: 0 })
    },
    async markDead(claimed, { failureReason, responseStatus }) {
      settle(claimed, { status: 'dead', failureReason, responseStatus, nextAttemptAt: undefined })
    },
    async find(tenant, id) {
      const row = deliveries.get(id)
      return row?.tenant === tenant ? toDelivery(store, row) : undefined
    },
    async list({ cursor, limit, ...asked }) {
      const rows = [...deliveries.values()].filter((row) => fits(row, asked))
      return newestFirst(
        rows.map((row) => toDelivery(store, row)),
        { cursor, limit },
      )
    },
    async replay(tenant, id, audit) {
      const row = deliveries.get(id)
      if (row?.tenant !== tenant || webhooks.get(row.webhook)?.status !== 'active') return false
      restart(row)
      note(store, audit)
      return true
    },
    async replayDead({ tenant, id }, limit, audit) {
      const isWanted = (row: DeliveryRow) => row.tenant === tenant && row.webhook === id && row.status === 'dead'
      const dead = webhooks.get(id)?.status === 'active' ? [...deliveries.values()].filter(isWanted) : []
      const replayed = dead.sort(byText((row) => row.id)).slice(0, limit)
      replayed.forEach(restart)
      if (replayed.length > 0) note(store, audit)
      return replayed.length
    },
    async forgetOld(days, limit) {
      const before = inSeconds(store, -days * 24 * 60 * 60)
      const isPending = (id: string) =>
        [...deliveries.values()].some(({ eventId, status }) => eventId === id && status === 'pending')
      const oldest = [...outbox.values()].sort(byText(({ id }) => id)).slice(0, limit)
      const forgotten = oldest.filter(({ id, dueAt, occurredAt }) => !dueAt && occurredAt < before && !isPending(id))
      for (const { id } of forgotten) {
        outbox.delete(id)
        for (const row of [...deliveries.values()]) if (row.eventId === id) deliveries.delete(row.id)
      }
      return forgotten.length
    },
  } satisfies Partial<Deliveries> as Deliveries
}

/** The ID derives from event and webhook, so a delivery is unique and sorts by event time. */
function address(store: Store, event: OutboxRow, webhook: WebhookRow): void {
  const { deliveries } = store.tables
  const id = `dlv_${event.id.slice(4)}${webhook.id.slice(-12)}`
  if (deliveries.has(id)) return
  const isActive = webhook.status === 'active'
  deliveries.set(id, {
    id,
    webhook: webhook.id,
    tenant: event.tenant,
    eventId: event.id,
    status: isActive ? 'pending' : 'dead',
    attempts: 0,
    fence: 0,
    claims: 0,
    responseStatus: undefined,
    failureReason: isActive ? undefined : 'webhook_disabled',
    nextAttemptAt: isActive ? store.now() : undefined,
    deliveredAt: undefined,
    createdAt: store.now(),
  })
}

/** Round-robin over webhooks, so that a dead receiver does not block the others. */
function dueDeliveries(store: Store, query: DueDeliveries): DeliveryRow[] {
  const due = [...store.tables.deliveries.values()].filter(({ nextAttemptAt }) => isPast(store, nextAttemptAt))
  const turns = new Map<string, number>()
  const queued = due.sort(byTime(({ nextAttemptAt }) => nextAttemptAt)).map((row) => {
    const turn = (turns.get(row.webhook) ?? 0) + 1
    turns.set(row.webhook, turn)
    return { row, turn, tenant: row.tenant, dueAt: row.nextAttemptAt }
  })
  const fair = fairly(queued, { ...query, limit: 4 * query.limit }, (a, b) => a.turn - b.turn).map(({ row }) => row)
  const suspects = fair.filter(({ claims }) => claims > 0).slice(0, query.suspects ?? 1)
  return [...suspects, ...fair.filter(({ claims }) => claims === 0).slice(0, query.limit)]
}

function toDelivery({ tables }: Store, { eventId, fence: _fence, claims: _claims, ...row }: DeliveryRow): Delivery {
  const { id, name, payload, occurredAt } = tables.outbox.get(eventId) as OutboxRow
  return { ...row, event: { id, name, payload, occurredAt } }
}

function toClaimed(store: Store, row: DeliveryRow): ClaimedDelivery {
  const webhook = store.tables.webhooks.get(row.webhook) as WebhookRow
  const { id, tenant, attempts, event } = toDelivery(store, row)
  const earlier = liveSecrets(store, webhook).map(({ secret }) => secret)
  const sealedSecrets = [webhook.secret, ...earlier.reverse()]
  return {
    id,
    webhook: webhook.id,
    tenant,
    event,
    attempts,
    fence: row.fence,
    claims: row.claims,
    url: webhook.url,
    sealedSecrets,
  }
}
