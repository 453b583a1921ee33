import type { WebhookAt, Webhooks } from '../../../src/onboarding/domain/ports/webhooks.ts'
import type { Webhook } from '../../../src/onboarding/domain/webhooks/webhook.ts'
import { note } from './audit.ts'
import { assertTenant, byText, change, inSeconds, isPast, type Store, type WebhookRow } from './tables.ts'

export function memoryWebhooks(store: Store): Webhooks {
  const { webhooks, deliveries } = store.tables
  const at = ({ tenant, id }: WebhookAt) => {
    const row = webhooks.get(id)
    return row?.tenant === tenant ? row : undefined
  }
  const ofTenant = (tenant: string) => [...webhooks.values()].filter((row) => row.tenant === tenant)
  return {
    async create(webhook, secret, max, audit) {
      assertTenant(store, webhook.tenant)
      if (ofTenant(webhook.tenant).length >= max) return undefined
      const times = { createdAt: store.now(), updatedAt: store.now() }
      webhooks.set(webhook.id, { ...webhook, status: 'active', secret, earlier: [], ...times })
      note(store, audit)
      return read(store, webhooks.get(webhook.id))
    },
    find: async (tenant, id) => read(store, at({ tenant, id })),
    list: async (tenant) =>
      ofTenant(tenant)
        .sort(byText(({ id }) => id))
        .map((row) => read(store, row) as Webhook),
    async delete(tenant, id, audit) {
      if (!at({ tenant, id })) return false
      webhooks.delete(id)
      for (const delivery of [...deliveries.values()]) if (delivery.webhook === id) deliveries.delete(delivery.id)
      note(store, audit)
      return true
    },
    async rotateSecret(where, secret, { overlapSeconds, maxEarlier }, audit) {
      const row = at(where)
      if (!row || liveSecrets(store, row).length >= maxEarlier) return false
      const earlier = [...row.earlier, { secret: row.secret, until: inSeconds(store, overlapSeconds) }]
      change(webhooks, row.id, { secret, earlier, updatedAt: store.now() })
      note(store, audit)
      return true
    },
    async forgetSecrets() {
      for (const row of webhooks.values()) change(webhooks, row.id, { earlier: liveSecrets(store, row) })
    },
    async enable(where, audit) {
      if (at(where)?.status !== 'disabled') return false
      change(webhooks, where.id, { status: 'active', updatedAt: store.now() })
      note(store, audit)
      return true
    },
    async disable(where, audit) {
      if (at(where)?.status !== 'active') return false
      for (const { id, webhook, status } of deliveries.values()) {
        if (webhook !== where.id || status !== 'pending') continue
        change(deliveries, id, { status: 'dead', failureReason: 'webhook_disabled', nextAttemptAt: undefined })
      }
      change(webhooks, where.id, { status: 'disabled', updatedAt: store.now() })
      note(store, audit)
      return true
    },
  } satisfies Partial<Webhooks> as Webhooks
}

/** Previous secrets that are still valid, oldest first. */
export const liveSecrets = (store: Store, { earlier }: WebhookRow) =>
  earlier.filter(({ until }) => !isPast(store, until))

function read(store: Store, row: WebhookRow | undefined): Webhook | undefined {
  if (!row) return undefined
  const { secret: _, earlier: __, ...webhook } = row
  return { ...webhook, previousSecretsExpireAt: liveSecrets(store, row).map(({ until }) => until) }
}
