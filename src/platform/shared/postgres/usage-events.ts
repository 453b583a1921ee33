import type pg from 'pg'
import type { Usage, UsageEvent } from '../domain/usage.ts'

/** What is waiting when the database is away: some minutes of a busy gateway. */
const mostWaiting = 100_000
const batchSize = 1_000

/**
 * Collects for a moment and writes many rows with one statement, so that metering costs a request nothing.
 * A batch whose fate is unknown is written again: the event id lets each row in once.
 */
export function postgresUsage(pool: pg.Pool, { everyMs = 1_000 } = {}): Usage & { close(): Promise<void> } {
  const waiting: UsageEvent[] = []
  let writing = Promise.resolve()
  const flush = () => {
    writing = writing.then(() => writeAll(pool, waiting)).catch(() => {})
    return writing
  }
  const timer = setInterval(flush, everyMs)
  timer.unref()
  return {
    record(event) {
      if (waiting.length < mostWaiting) waiting.push(event)
    },
    async close() {
      clearInterval(timer)
      await flush()
    },
  }
}

async function writeAll(pool: pg.Pool, waiting: UsageEvent[]): Promise<void> {
  while (waiting.length > 0) {
    const batch = waiting.slice(0, batchSize)
    await pool.query({ name: 'record-usage', text: insert, values: [JSON.stringify(batch.map(toRow))] })
    waiting.splice(0, batch.length)
  }
}

/**
 * Adds measured uses from a source that has their columns. Each is given its account, the moment it counts at and what
 * it costs at the price of that moment; one that is known already is left out, with all that would follow from it.
 */
export const insertUsage = (source: string) => `
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
  on conflict (event_id) do nothing`

const insert = insertUsage('json_populate_recordset(null::usage_events, $1)')

const toRow = (event: UsageEvent) => ({
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
