import type pg from 'pg'
import { execute, prepared, type Sql, sql } from '../../../kit/database/sql.ts'
import { attempt, type LoopReports, repeat } from '../../../kit/process/repeat.ts'
import { isPlausible, type SpoolPart, type Usage, type UsageEvent, type UsageSpool } from '../domain/usage.ts'

/** Max notes in memory while the database is unavailable. Further notes are only on disk. */
const maxWaiting = 100_000
const batchSize = 1_000

/** Spools at once, writes batches every second. A batch with an unknown outcome is repeated: IDs are unique. */
export function postgresUsage(
  pool: pg.Pool,
  spool: UsageSpool,
  reports: LoopReports,
): Usage & { close(): Promise<void> } {
  const waiting: SpoolPart[] = []
  const store = async () => {
    const part = spool.take()
    if (part) waiting.push(part)
    abandonBeyond(maxWaiting, waiting)
    for (let next = waiting[0]; next; next = waiting[0]) {
      await write(pool, next.notes)
      await next.remove()
      waiting.shift()
    }
  }
  const storeAbandoned = async () => {
    for (const part of await spool.abandoned()) {
      await write(pool, part.notes)
      await part.remove()
    }
  }
  const turns = [
    repeat('store-usage', 1_000, store, reports),
    repeat('store-abandoned-usage', 5_000, storeAbandoned, reports),
  ]
  return {
    record: (event) => {
      if (isPlausible(event)) spool.add(JSON.stringify(toRow(event)))
    },
    async close() {
      await Promise.all(turns.map((turn) => turn.stop()))
      await attempt('store-usage', store, reports)
    },
  }
}

function abandonBeyond(max: number, waiting: SpoolPart[]): void {
  let count = waiting.reduce((sum, { notes }) => sum + notes.length, 0)
  while (count > max && waiting.length > 1) {
    const last = waiting.pop()
    last?.abandon()
    count -= last?.notes.length ?? 0
  }
}

async function write(pool: pg.Pool, notes: readonly string[]): Promise<void> {
  for (let first = 0; first < notes.length; first += batchSize) {
    const batch = `[${notes.slice(first, first + batchSize).join(',')}]`
    await execute(pool, prepared(insertUsage(usageIn(batch))))
  }
}

/** Skips known and implausible events: a sum that included them could not be corrected. */
export const insertUsage = (source: Sql): Sql => sql`
  insert into usage_events (event_id, account_id, workspace, resource_type, resource_name, resource_uuid, dimension,
    quantity, cost, started_at, ended_at, counted_at)
  select e.event_id, coalesce(o.account_id, ''), e.workspace, e.resource_type, e.resource_name, e.resource_uuid,
    e.dimension, e.quantity, e.quantity * coalesce(p.usd_per_unit, 0), e.started_at, e.ended_at, m.counted_at
  from ${source} e
  cross join lateral (select greatest(e.started_at, e.ended_at - interval '1 millisecond') as counted_at) m
  left join workspace_owners o on o.workspace = e.workspace
  left join lateral (
    select usd_per_unit from usage_prices where dimension = e.dimension and effective_from <= m.counted_at
    order by effective_from desc limit 1) p on true
  where e.quantity >= 0 and e.quantity < 1e15 and e.started_at <= e.ended_at and e.ended_at < now() + interval '1 day'
  on conflict (event_id) do nothing`

export const usageIn = (rows: string): Sql => sql`json_populate_recordset(null::usage_events, ${rows})`

export const toRow = (event: UsageEvent) => ({
  event_id: event.eventId,
  workspace: event.workspace,
  resource_type: event.resourceType,
  resource_name: event.resourceName,
  resource_uuid: event.resourceUuid,
  dimension: event.dimension,
  quantity: event.quantity,
  started_at: event.startedAt,
  ended_at: event.endedAt,
})
