import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import type { DeliveryTable, LedgerSchema } from '../../adapters/postgres/schema.ts'
import { inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import type { ClaimedDelivery, Deliveries, DueDeliveries } from '../../domain/ports/webhooks.ts'
import type { TenantEventName } from '../../domain/tenant-event.ts'
import type { Delivery } from '../../domain/webhook.ts'

/** Longer than a receiver may take, so that a message is not sent by two workers at once. */
const leaseSeconds = 30

export function postgresDeliveries(db: Database<LedgerSchema>): Deliveries {
  /** Only its holder may say what became of a delivery: a slow worker has lost it to another by then. */
  const settle = ({ id, fence }: ClaimedDelivery) =>
    db.updateTable('webhook_deliveries').where('id', '=', id).where('fence', '=', fence)

  return {
    async announce(limit) {
      // The id is made of the event's and the webhook's, so a delivery exists once and sorts by the event's time.
      // What a disabled receiver misses is written down as well: enabled again, it can be told by a replay.
      const { rows } = await sql<{ count: number }>`
        with waiting as (
          select id, tenant, event from outbox where due_at <= now()
          order by due_at limit ${limit} for update skip locked
        ), made as (
          insert into webhook_deliveries (id, webhook, event, tenant, status, trouble, due_at)
          select 'dlv_' || substr(waiting.id, 5) || right(webhooks.id, 12), webhooks.id, waiting.id, waiting.tenant,
            case webhooks.status when 'active' then 'pending' else 'dead' end,
            case webhooks.status when 'active' then null else 'webhook_disabled' end,
            case webhooks.status when 'active' then now() end
          from waiting join webhooks on webhooks.tenant = waiting.tenant and waiting.event = any (webhooks.events)
          on conflict (id) do nothing
        ), announced as (
          update outbox set due_at = null from waiting where outbox.id = waiting.id
        )
        select count(*) as count from waiting`.execute(db)
      return rows[0]?.count ?? 0
    },
    async claimDue(query) {
      const { rows } = await sql<ClaimedRow>`
        with recursive ${fairQueue(query)}
        update webhook_deliveries as delivery
        set due_at = ${inSeconds(leaseSeconds)}, attempts = delivery.attempts + 1, fence = delivery.fence + 1
        from webhooks, outbox
        where webhooks.id = delivery.webhook and outbox.id = delivery.event and delivery.id in (
          select next.id from fair join webhook_deliveries as next on next.id = fair.id and next.due_at <= now()
          order by fair.place limit ${query.limit} for update of next skip locked
        )
        returning delivery.*, outbox.event as event_name, outbox.payload, outbox.created_at as event_at,
          webhooks.url, webhooks.secret || array(
            select secret from earlier_webhook_secrets as earlier
            where earlier.webhook = webhooks.id and until > now() order by until desc
          ) as secrets`.execute(db)
      return rows.map(toClaimed)
    },
    async delivered(claimed, answeredStatus) {
      const outcome = { status: 'delivered', answered_status: answeredStatus, trouble: null, due_at: null } as const
      await settle(claimed)
        .set({ ...outcome, delivered_at: sql`now()` })
        .execute()
    },
    async postpone(claimed, { trouble, answeredStatus, delaySeconds }) {
      await settle(claimed)
        .set({ trouble, answered_status: answeredStatus ?? null, due_at: inSeconds(delaySeconds) })
        .where('status', '=', 'pending') // its webhook may have been disabled meanwhile
        .execute()
    },
    async bury(claimed, { trouble, answeredStatus }) {
      await settle(claimed)
        .set({ status: 'dead', trouble, answered_status: answeredStatus ?? null, due_at: null })
        .execute()
    },
    async find(tenant, id) {
      const row = await deliveriesWithEvents(db)
        .where('webhook_deliveries.tenant', '=', tenant)
        .where('webhook_deliveries.id', '=', id)
        .executeTakeFirst()
      return row && toDelivery(row)
    },
    async list({ tenant, status, webhook, cursor, limit }) {
      let query = deliveriesWithEvents(db)
        .where('webhook_deliveries.tenant', '=', tenant)
        .orderBy('webhook_deliveries.id', 'desc')
        .limit(limit + 1)
      if (status !== undefined) query = query.where('webhook_deliveries.status', '=', status)
      if (webhook !== undefined) query = query.where('webhook_deliveries.webhook', '=', webhook)
      if (cursor !== undefined) query = query.where('webhook_deliveries.id', '<', cursor)
      return pageOf((await query.execute()).map(toDelivery), limit, ({ id }) => id)
    },
    async replay(tenant, id, audit) {
      const { rows } = await sql`
        with replayed as (
          update webhook_deliveries
          set status = 'pending', attempts = 0, fence = fence + 1, due_at = now(), delivered_at = null, trouble = null,
            answered_status = null
          where id = ${id} and tenant = ${tenant}
            and webhook in (select id from webhooks where tenant = ${tenant} and status = 'active')
          returning id
        ), ${noted(audit, 'replayed')}
        select id from replayed`.execute(db)
      return rows.length > 0
    },
    async forgetOld(days, limit) {
      // Ids sort by time, so the oldest are found without an index of times.
      const { numAffectedRows } = await sql`
        with oldest as (
          select id from (select id, due_at, created_at from outbox order by id limit ${limit}) as oldest
          where due_at is null and created_at < now() - make_interval(days => ${days})
            and not exists (select from webhook_deliveries where event = oldest.id and status = 'pending')
        ), forgotten as (
          delete from webhook_deliveries using oldest where event = oldest.id
        )
        delete from outbox using oldest where outbox.id = oldest.id`.execute(db)
      return Number(numAffectedRows ?? 0)
    },
  }
}

/**
 * The first few of each tenant, its webhooks in turn, less what is still under way for it: neither a tenant with a
 * thousand messages nor a receiver that never answers holds up anybody else. The index is walked from webhook to
 * webhook and each queue read no further than needed, so neither a long backlog nor a long past costs anything.
 */
const fairQueue = ({ limit, perTenant, underWay }: DueDeliveries): RawBuilder<unknown> => sql`
  waiting as (
    (select webhook from webhook_deliveries where due_at is not null order by webhook limit 1)
    union all
    select (
      select webhook from webhook_deliveries
      where due_at is not null and webhook > waiting.webhook order by webhook limit 1
    ) from waiting where webhook is not null
  ), queues as (
    select queue.* from waiting cross join lateral (
      select id, tenant, due_at, row_number() over (order by due_at) as turn from webhook_deliveries
      where webhook = waiting.webhook and due_at <= now() order by due_at limit ${perTenant}
    ) as queue
  ), places as (
    select id, due_at, row_number() over (partition by tenant order by turn, due_at)
      + coalesce((${JSON.stringify(underWay)}::jsonb ->> tenant)::int, 0) as place
    from queues
  ), fair as materialized (
    -- More than are wanted: other workers look at the same ones.
    select id, place from places where place <= ${perTenant} order by place, due_at limit ${4 * limit}
  )`

type EventColumns = { event_name: string; payload: object; event_at: Date }
type ClaimedRow = Selectable<DeliveryTable> & EventColumns & { url: string; secrets: string[] }

const eventOf = (row: { event: string } & EventColumns): Delivery['event'] => ({
  id: row.event,
  name: row.event_name as TenantEventName,
  payload: row.payload as Record<string, unknown>,
  at: row.event_at,
})

const toClaimed = (row: ClaimedRow): ClaimedDelivery => ({
  id: row.id,
  webhook: row.webhook,
  tenant: row.tenant,
  event: eventOf(row),
  attempts: row.attempts,
  fence: row.fence,
  url: row.url,
  sealedSecrets: row.secrets,
})

export const deliveriesWithEvents = (db: Database<LedgerSchema>) =>
  db
    .selectFrom('webhook_deliveries')
    .innerJoin('outbox', 'outbox.id', 'webhook_deliveries.event')
    .selectAll('webhook_deliveries')
    .select(['outbox.event as event_name', 'outbox.payload', 'outbox.created_at as event_at'])

export const toDelivery = (row: Selectable<DeliveryTable> & EventColumns): Delivery => ({
  id: row.id,
  webhook: row.webhook,
  tenant: row.tenant,
  event: eventOf(row),
  status: row.status,
  attempts: row.attempts,
  answeredStatus: row.answered_status ?? undefined,
  trouble: row.trouble ?? undefined,
  nextTryAt: row.due_at ?? undefined,
  deliveredAt: row.delivered_at ?? undefined,
  createdAt: row.created_at,
})
