import type pg from 'pg'
import type { GuardedFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { WebhookPorts } from '../domain/ports/webhooks.ts'
import { postgresEventLog } from './adapters/event-log.ts'
import { postgresDeliveries } from './adapters/webhook-deliveries.ts'
import { webhookSender } from './adapters/webhook-sender.ts'
import { postgresWebhooks } from './adapters/webhooks.ts'

type Parts = { pool: pg.Pool; fetch: GuardedFetch }

export const openWebhooks = ({ pool, fetch }: Parts): WebhookPorts => ({
  webhooks: postgresWebhooks(pool),
  deliveries: postgresDeliveries(pool),
  eventLog: postgresEventLog(pool),
  webhookSender: webhookSender(fetch),
})
