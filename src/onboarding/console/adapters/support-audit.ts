import { z } from 'zod'
import { type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { EntryColumns, entryColumns, toEntry } from '../../adapters/postgres/audit-entries.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import { inMode, matching } from '../../adapters/postgres/statement-parts.ts'
import type { Page } from '../../domain/ports/shared.ts'
import type { AuditFilter, AuditLine, Cursor } from '../../domain/ports/support-ledger.ts'

export async function auditLines(db: Queryable, filter: AuditFilter & Cursor): Promise<Page<AuditLine>> {
  const { tenant, testMode, action, except, connection, link, requestId, kinds, actor, cursor, limit } = filter
  const fitting = sql`
    select * from audit where ${matching({ tenant, action, connection, link, request_id: requestId })}
      and ${inMode(testMode)}
      ${except ? sql`and action <> ${except}` : sql``}
      ${kinds ? sql`and actor_kind = any(${kinds}::text[])` : sql``}
      and ${await within(db, filter)} ${cursor === undefined ? sql`` : sql`and id < ${Number(cursor)}`}`
  const newest = sql`order by id desc limit ${limit + 1}`
  const half = (further = sql``) => sql`
    select ${entryColumns}, ${hasConnection} as "hasConnection" from (${fitting} ${further} ${newest}) as half`
  // A union, not an "or": each half reads its own index, newest first, up to the limit.
  const either = (who: string) => sql`
    ${half(sql`and actor_id = ${who}`)}
    union all
    ${half(sql`and actor_name = ${who} and actor_id is distinct from ${who}`)}`
  const found = await rows(db, LineRow, sql`${actor === undefined ? half() : either(actor)} ${newest}`)
  return pageOf(found, limit, ({ id }) => String(id))
}

/** IDs grow with time, so a time range is an ID range and paging by ID still works. */
async function within(db: Queryable, { from, to }: Pick<AuditFilter, 'from' | 'to'>): Promise<Sql> {
  const first = from && (await firstSince(db, from))
  const end = to && (await firstSince(db, to))
  return sql`id >= ${first ?? 0} and id < ${end ?? Number.MAX_SAFE_INTEGER}`
}

/**
 * Returns the first ID at or after a time. Binary search in the primary key: an index on time would slow every write
 * for a rare query.
 */
async function firstSince(db: Queryable, time: Date): Promise<number> {
  const found = await row(
    db,
    AuditId,
    sql`
      with recursive halves (low, high) as (
        select min(id), max(id) + 1 from audit
        union all
        -- Between two ids there may be none: what begins behind the middle speaks for the gap.
        select case when at < ${time} then middle.id + 1 else low end, case when at < ${time} then high else (low + high) / 2 end
        from halves, lateral (select id, at from audit where id >= (low + high) / 2 order by id limit 1) as middle
        where low < high
      )
      select low as id from halves where low >= high`,
  )
  return found?.id ?? 0
}

const AuditId = z.object({ id: z.number() })

// A link names its connection before that exists, and a link that fails never creates it.
const hasConnection = sql`exists (select from connections where connections.id = half.connection)`

const LineRow = EntryColumns.extend({ hasConnection: z.boolean() }).transform(
  ({ hasConnection, ...entry }): AuditLine => ({ ...toEntry(entry), hasConnection }),
)
