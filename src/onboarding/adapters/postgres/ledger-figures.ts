// Metrics from the ledger. Each statement uses a partial index, so its cost depends on open work, not on history.
import { z } from 'zod'
import { maybe, one, type Queryable, rows, sql } from '../../../kit/database/sql.ts'
import { connectionStatuses } from '../../domain/connection.ts'
import { linkStates } from '../../domain/link.ts'
import { inMode } from './statement-parts.ts'

const LinkRow = z.object({ state: z.enum(linkStates), count: z.number(), oldestSeconds: z.number() })

export const openLinks = (db: Queryable) =>
  rows(
    db,
    LinkRow,
    sql`
      select state, count(*) as count, extract(epoch from now() - min(created_at))::float8 as "oldestSeconds"
      from links where due_at is not null and state <> 'needs_attention' group by state
      union all
      select state, count(*), extract(epoch from now() - min(updated_at))::float8
      from links where state = 'needs_attention' group by state`,
  )

const QueueRow = z.object({
  overdueLink: maybe(z.number()),
  overdueTask: maybe(z.number()),
  overdueCheck: maybe(z.number()),
  overdueDelivery: maybe(z.number()),
  pendingDeliveries: z.number(),
  deadDeliveries: z.number(),
  disabledWebhooks: z.number(),
  escrowed: z.number(),
  oldestEscrow: maybe(z.number()),
})

export type QueueFigures = z.infer<typeof QueueRow>

const isLive = inMode(false)

export const queueFigures = (db: Queryable): Promise<QueueFigures> =>
  one(
    db,
    QueueRow,
    sql`select
      (select extract(epoch from now() - min(due_at))::float8 from links where due_at < now()) as "overdueLink",
      (select extract(epoch from now() - min(due_at))::float8 from connection_tasks where due_at < now()) as "overdueTask",
      (select extract(epoch from now() - min(health_due_at))::float8 from connections where health_due_at < now())
        as "overdueCheck",
      (select extract(epoch from now() - min(due_at))::float8 from webhook_deliveries where due_at < now() and ${isLive})
        as "overdueDelivery",
      (select count(*) from webhook_deliveries where due_at is not null and ${isLive}) as "pendingDeliveries",
      (select count(*) from (select from webhook_deliveries where status = 'dead' and ${isLive} limit 1000) as dead)
        as "deadDeliveries",
      (select count(*) from webhooks where status = 'disabled' and ${isLive}) as "disabledWebhooks",
      (select count(*) from escrow) as escrowed,
      (select extract(epoch from now() - min(created_at))::float8 from escrow) as "oldestEscrow"`,
  )

const ConnectionRow = z.object({ status: z.enum(connectionStatuses), count: z.number() })

/** Reads an index of all connections: 0.1 s for a million. */
export const connectionsByStatus = (db: Queryable) =>
  rows(db, ConnectionRow, sql`select status, count(*) as count from connections group by status`)

const Count = z.object({ count: z.number() })

export const unjudgedConnections = (db: Queryable) =>
  one(
    db,
    Count,
    sql`select count(*) as count from connections where health_unknown_since is not null and status <> 'disconnected'`,
  )

export const endingConnections = (db: Queryable) =>
  one(
    db,
    Count,
    sql`select count(*) as count from connections
        where grant_ends_at is not null and status = 'active' and ${isLive}`,
  )
