import { type SqlBool, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import { idsSince } from '../../adapters/crypto/tokens.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import type { Backlogs, LinkCount, ProblemGroup, RetryGroup } from '../../domain/ports/support-ledger.ts'

type Db = Database<LedgerSchema>

/**
 * Uses the partial indexes on state and status. `updated_at` of a link that needs attention is when it stopped: nothing
 * changes it until somebody resumes it.
 */
export async function countProblems(db: Db): Promise<ProblemGroup[]> {
  const { rows } = await sql<ProblemGroup>`
    select 'links' as what, cause, count(*) as count, min(updated_at) as oldest
    from links where state = 'needs_attention' group by cause
    union all
    select 'connections', cause, count(*), min(status_since)
    from connections where status = 'needs_relink' group by cause
    order by oldest`.execute(db)
  return rows.map((row) => ({ ...row, cause: row.cause ?? undefined }))
}

/**
 * Must match the predicate of the index links_tried_again. Every move resets the attempts, so ended links are not in it; a
 * re-link that was sent back a step has no attempts but a next one.
 */
export const isRetrying = sql<SqlBool>`(attempts > 0 or next_try_at is not null)`

/** Every attempt changes updated_at, so the oldest is taken from created_at. */
export async function countRetries(db: Db): Promise<RetryGroup[]> {
  const { rows } = await sql<RetryGroup>`
    select state, cause, count(*) as count, min(created_at) as oldest, min(next_try_at) as "nextTryAt"
    from links where ${isRetrying} group by cause, state order by oldest`.execute(db)
  return rows.map((row) => ({ ...row, cause: row.cause ?? undefined, nextTryAt: row.nextTryAt ?? undefined }))
}

/** Filters by id: ids sort by time, so the primary key serves and no other index is needed. */
export async function countLinksByDay(db: Db, days: number): Promise<LinkCount[]> {
  const from = new Date(Date.now() - days * 86_400_000)
  const { rows } = await sql<LinkCount>`
    select date_trunc('day', created_at, 'UTC') as day, state, cause, count(*) as count
    from links where id >= ${idsSince('lnk', from)} group by 1, 2, 3 order by 1`.execute(db)
  return rows.map((row) => ({ ...row, cause: row.cause ?? undefined }))
}

export async function readBacklogs(db: Db): Promise<Backlogs> {
  const { rows } = await sql<BacklogRow>`select
    (select min(due_at) from links where due_at < now()) as "oldestDueLink",
    (select min(due_at) from connection_tasks where due_at < now()) as "oldestDueTask",
    (select min(health_due_at) from connections where health_due_at < now()) as "oldestDueCheck",
    (select count(*) from webhook_deliveries where due_at is not null) as "waitingDeliveries",
    (select min(due_at) from webhook_deliveries where due_at < now()) as "oldestDueDelivery",
    (select count(*) from (select from webhook_deliveries where status = 'dead' limit 1000) as dead) as "deadDeliveries",
    (select count(*) from webhooks where status = 'disabled') as "disabledWebhooks"`.execute(db)
  const { oldestDueLink, oldestDueTask, oldestDueCheck, oldestDueDelivery, ...counts } = rows[0] as BacklogRow
  return {
    ...counts,
    oldestDueLink: oldestDueLink ?? undefined,
    oldestDueTask: oldestDueTask ?? undefined,
    oldestDueCheck: oldestDueCheck ?? undefined,
    oldestDueDelivery: oldestDueDelivery ?? undefined,
  }
}

type BacklogRow = {
  [Name in keyof Backlogs]: Exclude<Backlogs[Name], undefined> | (undefined extends Backlogs[Name] ? null : never)
}
