import type pg from 'pg'
import { z } from 'zod'
import { maybe, one, type Queryable, rows, sql } from '../../../kit/database/sql.ts'
import { writersOf } from '../../../kit/database/writers.ts'
import { exportPositions, exportStates } from '../../../kit/export/export-positions.ts'
import type { ToolCallExport } from '../domain/tool-call-export.ts'

const table = 'tool_call_exports'

export const postgresToolCallExport = (pool: pg.Pool): Omit<ToolCallExport, 'destinations'> => ({
  positions: exportPositions(pool, table),
  async writesUnderWay() {
    const { until } = await one(pool, Written, written)
    // Read after the sequence: a transaction with a number up to `until` holds this lock already, or has ended.
    return { until, writers: await writersOf(pool, 'tool_calls') }
  },
  stillWriting: (writers) => writersOf(pool, 'tool_calls', writers),
  callsBetween: (after, until, limit) =>
    rows(
      pool,
      CallRow,
      sql`
        select id as seq, ${sql.columns(CallColumns)} from tool_calls where id > ${after} and id <= ${until}
        order by id limit ${limit}`,
    ),
})

/** By the end of the oldest call that a destination does not have. */
export const toolCallExportStates = (db: Queryable, destinations: readonly string[]) =>
  exportStates(db, {
    table,
    destinations,
    oldestMissing: sql`
      select at + duration_ms * interval '1 millisecond' from tool_calls where id > position.exported
      order by id limit 1`,
  })

const written = sql`select case when is_called then last_value else 0 end as until from tool_calls_id_seq`

const Written = z.object({ until: z.number() })

const CallColumns = z.object({
  at: z.date(),
  durationMs: z.number(),
  workspace: z.string(),
  functionName: z.string(),
  functionId: z.string(),
  callerKind: z.string(),
  callerId: z.string(),
  callerLabel: z.string(),
  credential: z.string(),
  tool: z.string(),
  outcome: z.string(),
  code: maybe(z.string()),
})

const CallRow = CallColumns.extend({ seq: z.number() })
