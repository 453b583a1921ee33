// Webhook deliveries and endpoints.
import { sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import type { Receiver, SentDelivery, SupportLedger } from '../../domain/ports/support-ledger.ts'
import { deliveriesWithEvents, toDelivery } from '../../webhooks/adapters/webhook-deliveries.ts'
import { toWebhook, webhooksWithEarlier } from '../../webhooks/adapters/webhooks.ts'

type Db = Database<LedgerSchema>

export async function deliveriesPage(
  db: Db,
  { tenant, status, cursor, limit }: Parameters<SupportLedger['deliveries']>[0],
): ReturnType<SupportLedger['deliveries']> {
  let query = deliveriesWithEvents(db)
    .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook')
    .select(['webhooks.url', 'webhooks.status as receiver_status'])
    .orderBy('webhook_deliveries.id', 'desc')
  if (tenant !== undefined) query = query.where('webhook_deliveries.tenant', '=', tenant)
  if (status !== undefined) query = query.where('webhook_deliveries.status', '=', sql.lit(status))
  if (cursor !== undefined) query = query.where('webhook_deliveries.id', '<', cursor)
  const rows = await query.limit(limit + 1).execute()
  const sent = rows.map(
    ({ url, receiver_status, ...row }): SentDelivery => ({
      ...toDelivery(row),
      receiver: { url, status: receiver_status },
    }),
  )
  return pageOf(sent, limit, ({ id }) => id)
}

export async function receiversOf(db: Db, tenant: string | undefined, limit: number): Promise<Receiver[]> {
  const webhooks = webhooksWithEarlier(db).orderBy('id', 'desc').limit(limit)
  const wanted =
    tenant === undefined ? webhooks.where('status', '=', sql.lit('disabled')) : webhooks.where('tenant', '=', tenant)
  return (await wanted.execute()).map(toWebhook)
}
