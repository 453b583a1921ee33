import { z } from 'zod'
import { maybe, one, type Queryable, rows, sql } from '../../../kit/database/sql.ts'
import { idsSince } from '../../adapters/crypto/tokens.ts'
import { CauseColumn } from '../../adapters/postgres/schema.ts'
import { inMode } from '../../adapters/postgres/statement-parts.ts'
import { healthOutcomes } from '../../domain/health/health.ts'
import { linkStates, statesOf } from '../../domain/link.ts'
import {
  type Backlogs,
  type HealthDay,
  type LinkCount,
  maxCounted,
  type ProblemGroup,
  type RetryGroup,
  type TenantFigures,
} from '../../domain/ports/support-ledger.ts'

/** Support does not handle test mode. Queue ages include it. */
const isLive = inMode(false)

/** Uses the partial indexes on state and status. `updated_at` of a link that needs attention is when it stopped. */
export const countProblems = (db: Queryable): Promise<ProblemGroup[]> =>
  rows(
    db,
    ProblemRow,
    sql`
      select 'links' as what, cause, count(*) as count, min(updated_at) as oldest
      from links where state = 'needs_attention' and ${isLive} group by cause
      union all
      select 'connections', cause, count(*), min(status_since)
      from connections where status = 'needs_relink' and ${isLive} group by cause
      union all
      select 'unjudged', null, count(*), min(health_unknown_since)
      from connections where health_unknown_since is not null and status <> 'disconnected' and ${isLive} having count(*) > 0
      union all
      select 'ending', null, count(*), min(grant_ends_at)
      from connections where grant_ends_at is not null and status = 'active' and ${isLive} having count(*) > 0
      order by oldest`,
  )

const ProblemRow = z.object({
  what: z.enum(['links', 'connections', 'unjudged', 'ending']),
  cause: CauseColumn,
  count: z.number(),
  oldest: z.date(),
})

/**
 * Must match the predicate of the index `links_retrying`. Each move resets the attempts, so ended links are excluded; a
 * re-link that was sent back a step has only next_attempt_at.
 */
export const isRetrying = sql`(attempts > 0 or next_attempt_at is not null)`

/** Attempts change updated_at, so the oldest is taken from created_at. */
export const countRetries = (db: Queryable): Promise<RetryGroup[]> =>
  rows(
    db,
    RetryRow,
    sql`
      select state, cause, count(*) as count, min(created_at) as oldest, min(next_attempt_at) as "nextAttemptAt"
      from links where ${isRetrying} and ${isLive} group by cause, state order by oldest`,
  )

const RetryRow = z.object({
  state: z.enum(linkStates),
  cause: CauseColumn,
  count: z.number(),
  oldest: z.date(),
  nextAttemptAt: maybe(z.date()),
})

/** IDs sort by time, so the primary key serves this query. */
export function countLinksByDay(db: Queryable, days: number): Promise<LinkCount[]> {
  const from = new Date(Date.now() - days * 86_400_000)
  return rows(
    db,
    DayRow,
    sql`
      select date_trunc('day', created_at, 'UTC') as day, state, cause, count(*) as count
      from links where id >= ${idsSince('lnk', from)} and ${isLive} group by 1, 2, 3 order by 1`,
  )
}

const DayRow = z.object({ day: z.date(), state: z.enum(linkStates), cause: CauseColumn, count: z.number() })

export const countHealthByDay = (db: Queryable, integration: string, days: number): Promise<HealthDay[]> =>
  rows(
    db,
    HealthRow,
    sql`
      select day, outcome, checks as count from health_days
      where integration = ${integration} and day > now() - make_interval(days => ${days}) order by day`,
  )

const HealthRow = z.object({ day: z.date(), outcome: z.enum(healthOutcomes), count: z.number() })

export const readBacklogs = (db: Queryable): Promise<Backlogs> =>
  one(
    db,
    BacklogRow,
    sql`select
      (select min(due_at) from links where due_at < now()) as "oldestDueLink",
      (select min(due_at) from connection_tasks where due_at < now()) as "oldestDueTask",
      (select min(health_due_at) from connections where health_due_at < now()) as "oldestDueCheck",
      (select count(*) from webhook_deliveries where due_at is not null and ${isLive}) as "waitingDeliveries",
      (select min(due_at) from webhook_deliveries where due_at < now() and ${isLive}) as "oldestDueDelivery",
      (select count(*) from (select from webhook_deliveries where status = 'dead' and ${isLive} limit 1000) as dead)
        as "deadDeliveries",
      (select count(*) from webhooks where status = 'disabled' and ${isLive}) as "disabledWebhooks"`,
  )

const BacklogRow = z.object({
  oldestDueLink: maybe(z.date()),
  oldestDueTask: maybe(z.date()),
  oldestDueCheck: maybe(z.date()),
  waitingDeliveries: z.number(),
  oldestDueDelivery: maybe(z.date()),
  deadDeliveries: z.number(),
  disabledWebhooks: z.number(),
})

/** The indexes by tenant serve it. */
export function countTenant(db: Queryable, tenant: string, days: number): Promise<TenantFigures> {
  const max = sql.literal(maxCounted)
  const since = idsSince('lnk', new Date(Date.now() - days * 86_400_000))
  const links = sql`select state from links where tenant = ${tenant} and id >= ${since} limit ${max}`
  const connections = sql`select status from connections where tenant = ${tenant} and status <> 'disconnected' limit ${max}`
  return one(
    db,
    FiguresRow,
    sql`
      select connections, broken, linked, failed from
        (select count(*) as connections, count(*) filter (where status = 'needs_relink') as broken
          from (${connections}) as connections) as first,
        (select count(*) filter (where state = 'linked') as linked,
          count(*) filter (where state = any(${[...statesOf('failed'), ...statesOf('needs_attention')]}::text[])) as failed
          from (${links}) as links) as second`,
  )
}

const FiguresRow = z.object({ connections: z.number(), broken: z.number(), linked: z.number(), failed: z.number() })
