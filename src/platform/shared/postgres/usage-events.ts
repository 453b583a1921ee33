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

const insert = `
  insert into usage_events
  select * from json_populate_recordset(null::usage_events, $1)
  on conflict (event_id) do nothing`

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
