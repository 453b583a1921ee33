import type { Kysely } from 'kysely'
import type { GuardedFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { LedgerSchema } from '../adapters/postgres/schema.ts'
import type { WebhookPorts } from '../domain/ports/webhooks.ts'
import { postgresDeliveries } from './adapters/webhook-deliveries.ts'
import { webhookSender } from './adapters/webhook-sender.ts'
import { postgresWebhooks } from './adapters/webhooks.ts'

type Parts = { db: Kysely<LedgerSchema>; fetch: GuardedFetch }

export const openWebhooks = ({ db, fetch }: Parts): WebhookPorts => ({
  webhooks: postgresWebhooks(db),
  deliveries: postgresDeliveries(db),
  webhookSender: webhookSender(fetch),
})
