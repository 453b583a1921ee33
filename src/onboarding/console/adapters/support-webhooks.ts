// Webhook deliveries and endpoints.
import { z } from 'zod'
import { type Queryable, rows, sql } from '../../../kit/database/sql.ts'
import { newestPage } from '../../adapters/postgres/page-of.ts'
import { inMode, matching } from '../../adapters/postgres/statement-parts.ts'
import type { Receiver, SentDelivery, SupportLedger } from '../../domain/ports/support-ledger.ts'
import { webhookStatuses } from '../../domain/webhooks/webhook.ts'
import {
  DeliveryColumns,
  deliveriesWithEvents,
  deliveryColumns,
  toDelivery,
} from '../../webhooks/adapters/webhook-deliveries.ts'
import { WebhookRow, webhookColumns } from '../../webhooks/adapters/webhooks.ts'

export function deliveriesPage(
  db: Queryable,
  { tenant, status, ...page }: Parameters<SupportLedger['deliveries']>[0],
): ReturnType<SupportLedger['deliveries']> {
  const selected = sql`
    select ${deliveryColumns}, webhooks.url, webhooks.status as "receiverStatus"
    from ${deliveriesWithEvents} join webhooks on webhooks.id = webhook_deliveries.webhook
    where ${matching({ 'webhook_deliveries.tenant': tenant })} and ${liveUnlessNamed(tenant, 'webhook_deliveries.tenant')}
      ${status === undefined ? sql`` : sql`and webhook_deliveries.status = ${sql.literal(status)}`}`
  return newestPage(db, SentRow, selected, page, sql`webhook_deliveries.id`)
}

/** Those of a test tenant are shown to whoever names it. */
const liveUnlessNamed = (tenant: string | undefined, column?: string) =>
  inMode(tenant === undefined ? false : undefined, column)

const SentRow = DeliveryColumns.extend({ url: z.string(), receiverStatus: z.enum(webhookStatuses) }).transform(
  ({ url, receiverStatus, ...row }): SentDelivery => ({
    ...toDelivery(row),
    receiver: { url, status: receiverStatus },
  }),
)

export const receiversOf = (db: Queryable, tenant: string | undefined, limit: number): Promise<Receiver[]> =>
  rows(
    db,
    WebhookRow,
    sql`
      select ${webhookColumns} from webhooks
      where ${tenant === undefined ? sql`status = 'disabled'` : sql`tenant = ${tenant}`} and ${liveUnlessNamed(tenant)}
      order by id desc limit ${limit}`,
  )
