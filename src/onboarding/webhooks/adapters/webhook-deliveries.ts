import { z } from 'zod'
import { execute, maybe, one, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { newestPage } from '../../adapters/postgres/page-of.ts'
import { Count } from '../../adapters/postgres/schema.ts'
import { inSeconds, matching, noted } from '../../adapters/postgres/statement-parts.ts'
import type { ClaimedDelivery, Deliveries, DueDeliveries } from '../../domain/ports/webhooks.ts'
import { tenantEventNames } from '../../domain/tenant-event.ts'
import { type Delivery, deliveryFailureReasons, deliveryStatuses } from '../../domain/webhooks/delivery.ts'

/** Must exceed the send timeout, so that two workers never send the same message at once. */
const leaseSeconds = 30

export function postgresDeliveries(db: Queryable): Deliveries {
  /** The fence rejects the result of a worker that has lost its lease. */
  const settle = async ({ id, fence }: ClaimedDelivery, outcome: Sql, further = sql``) => {
    await execute(db, sql`update webhook_deliveries set ${outcome} where id = ${id} and fence = ${fence} ${further}`)
  }

  return {
    async announce(limit) {
      // The ID combines event and webhook, so each delivery exists once and sorts by event time. Deliveries to disabled
      // webhooks are recorded as dead, so that they can be replayed.
      const announced = sql`
        with waiting as (
          select id, tenant, event from outbox where due_at <= now()
          order by due_at limit ${limit} for update skip locked
        ), made as (
          insert into webhook_deliveries (id, webhook, event, tenant, status, failure_reason, due_at)
          select 'dlv_' || substr(waiting.id, 5) || right(webhooks.id, 12), webhooks.id, waiting.id, waiting.tenant,
            case webhooks.status when 'active' then 'pending' else 'dead' end,
            case webhooks.status when 'active' then null else 'webhook_disabled' end,
            case webhooks.status when 'active' then now() end
          from waiting join webhooks on webhooks.tenant = waiting.tenant and waiting.event = any (webhooks.events)
          on conflict (id) do nothing
        ), announced as (
          update outbox set due_at = null from waiting where outbox.id = waiting.id
        )
        select count(*) as count from waiting`
      return (await one(db, Count, announced)).count
    },
    claimDue: (query) =>
      rows(
        db,
        ClaimedRow,
        sql`
          with recursive ${fairQueue(query)}, ${suspectsAndOthers(query)}
          update webhook_deliveries as delivery
          set due_at = ${inSeconds(leaseSeconds)}, attempts = delivery.attempts + 1, fence = delivery.fence + 1,
            claims = delivery.claims + 1
          from webhooks, outbox
          where webhooks.id = delivery.webhook and outbox.id = delivery.event and delivery.id in (
            select id from suspects union all select id from others
          )
          returning delivery.id, delivery.webhook, delivery.tenant, delivery.attempts, delivery.fence, delivery.claims, ${eventColumns},
            webhooks.url, webhooks.secret || array(
              select secret from earlier_webhook_secrets as earlier
              where earlier.webhook = webhooks.id and until > now() order by until desc
            ) as "sealedSecrets"`,
      ),
    delivered: (claimed, responseStatus) =>
      settle(
        claimed,
        sql`status = 'delivered', response_status = ${responseStatus}, failure_reason = null, due_at = null,
          delivered_at = now()`,
      ),
    postpone: (claimed, { failureReason, responseStatus, delaySeconds }) =>
      settle(
        claimed,
        sql`failure_reason = ${failureReason}, response_status = ${responseStatus ?? null},
          due_at = ${inSeconds(delaySeconds)}, claims = 0`,
        sql`and status = 'pending'`, // the webhook may have been disabled
      ),
    markDead: (claimed, { failureReason, responseStatus }) =>
      settle(
        claimed,
        sql`status = 'dead', failure_reason = ${failureReason}, response_status = ${responseStatus ?? null},
          due_at = null`,
      ),
    find: (tenant, id) =>
      row(
        db,
        DeliveryRow,
        sql`select ${deliveryColumns} from ${deliveriesWithEvents}
          where webhook_deliveries.tenant = ${tenant} and webhook_deliveries.id = ${id}`,
      ),
    list({ tenant, status, webhook, ...page }) {
      const wanted = matching({
        'webhook_deliveries.tenant': tenant,
        'webhook_deliveries.status': status,
        'webhook_deliveries.webhook': webhook,
      })
      const selected = sql`select ${deliveryColumns} from ${deliveriesWithEvents} where ${wanted}`
      return newestPage(db, DeliveryRow, selected, page, sql`webhook_deliveries.id`)
    },
    async replay(tenant, id, audit) {
      const replayed = await execute(
        db,
        sql`
          with replayed as (
            update webhook_deliveries set ${fromScratch} where id = ${id} and tenant = ${tenant}
              and webhook in (select id from webhooks where tenant = ${tenant} and status = 'active')
            returning id
          ), ${noted(audit, 'replayed')}
          select from replayed`,
      )
      return replayed > 0
    },
    replayDead: ({ tenant, id }, limit, audit) =>
      execute(
        db,
        sql`
          with dead as (
            select id from webhook_deliveries
            where tenant = ${tenant} and status = 'dead' and webhook in (
              select id from webhooks where tenant = ${tenant} and id = ${id} and status = 'active'
            )
            order by id limit ${limit} for update skip locked
          ), replayed as (
            update webhook_deliveries set ${fromScratch} where id in (select id from dead) returning id
          ), once as (
            select from replayed limit 1
          ), ${noted(audit, 'once')}
          select from replayed`,
      ),
    forgetOld: (days, limit) =>
      execute(
        db,
        // IDs sort by time, so no index on created_at is needed.
        sql`
          with oldest as (
            select id from (select id, due_at, created_at from outbox order by id limit ${limit}) as oldest
            where due_at is null and created_at < now() - make_interval(days => ${days})
              and not exists (select from webhook_deliveries where event = oldest.id and status = 'pending')
          ), forgotten as (
            delete from webhook_deliveries using oldest where event = oldest.id
          )
          delete from outbox using oldest where outbox.id = oldest.id`,
      ),
  }
}

const fromScratch = sql`status = 'pending', attempts = 0, claims = 0, fence = fence + 1, due_at = now(),
  delivered_at = null, failure_reason = null, response_status = null`

/**
 * Takes the first few messages of each tenant, round-robin over its webhooks, minus those in flight, so that a large
 * backlog or a slow receiver delays no other tenant. Skips from webhook to webhook in the index, so the cost does not
 * grow with the backlog.
 */
const fairQueue = ({ limit, perTenant, underWay }: DueDeliveries): Sql => sql`
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

/** A suspect may have crashed a worker: it takes no slot from other messages, and the caller limits how many run. */
const suspectsAndOthers = ({ limit, suspects = 1 }: DueDeliveries): Sql => sql`
  suspects as materialized (
    select next.id from fair join webhook_deliveries as next on next.id = fair.id and next.due_at <= now()
    where next.claims > 0 order by fair.place limit ${suspects} for update of next skip locked
  ), others as materialized (
    select next.id from fair join webhook_deliveries as next on next.id = fair.id and next.due_at <= now()
    where next.claims = 0 order by fair.place limit ${limit} for update of next skip locked
  )`

const EventColumns = z.object({
  eventId: z.string(),
  eventName: z.enum(tenantEventNames),
  payload: z.record(z.string(), z.unknown()),
  traceparent: maybe(z.string()),
  occurredAt: z.date(),
})

const eventColumns = sql`outbox.id as "eventId", outbox.event as "eventName", outbox.payload, outbox.traceparent,
  outbox.created_at as "occurredAt"`

function withEvent<Row extends z.infer<typeof EventColumns>>(columns: Row) {
  const { eventId, eventName, payload, traceparent, occurredAt, ...row } = columns
  return { ...row, event: { id: eventId, name: eventName, payload, traceparent, occurredAt } }
}

const ClaimedRow = EventColumns.extend({
  id: z.string(),
  webhook: z.string(),
  tenant: z.string(),
  attempts: z.number(),
  fence: z.number(),
  claims: z.number(),
  url: z.string(),
  sealedSecrets: z.array(z.string()),
}).transform(withEvent)

const OwnColumns = z.object({
  id: z.string(),
  webhook: z.string(),
  tenant: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.number(),
  responseStatus: maybe(z.number()),
  failureReason: maybe(z.enum(deliveryFailureReasons)),
  deliveredAt: maybe(z.date()),
  createdAt: z.date(),
})

export const DeliveryColumns = OwnColumns.extend({ ...EventColumns.shape, nextAttemptAt: maybe(z.date()) })

export const deliveryColumns = sql`${sql.columns(OwnColumns, 'webhook_deliveries')},
  webhook_deliveries.due_at as "nextAttemptAt", ${eventColumns}`

export const deliveriesWithEvents = sql`webhook_deliveries join outbox on outbox.id = webhook_deliveries.event`

export const toDelivery = (row: z.infer<typeof DeliveryColumns>): Delivery => withEvent(row)

const DeliveryRow = DeliveryColumns.transform(toDelivery)
