import type pg from 'pg'
import { z } from 'zod'
import { execute, prepared, rows, sql } from '../../../kit/database/sql.ts'
import type { McpEvents } from '../domain/mcp.ts'

const Row = z.object({ seq: z.int(), message: z.string(), last: z.boolean() })

/** As long as an answer may take. */
const keptMinutes = 15

/** Of an answer that is read on; a message that is longer comes alone. */
const readAtOnceBytes = 256 * 1024

export function postgresMcpEvents(pool: pg.Pool): McpEvents & { sweep(): Promise<void> } {
  return {
    keptMs: keptMinutes * 60_000,

    async add(session, stream, { seq, message, last }) {
      const statement = sql`
        insert into mcp_events (session, stream, seq, message, last)
        values (${session}, ${stream}, ${seq}, ${message}, ${last})`
      await execute(pool, prepared(statement))
    },

    async after(session, stream, seq) {
      // Asked again and again while an answer is under way: what its client has seen is not read once more.
      const statement = sql`
        select seq, case when seq > ${seq} then message else '' end as message, last from (
          select seq, message, last, coalesce(sum(octet_length(message)) filter (where seq > ${seq})
            over (order by seq rows between unbounded preceding and 1 preceding), 0) as bytes_before
          from mcp_events where session = ${session} and stream = ${stream} and (seq >= ${seq} or last)
        ) as known where bytes_before < ${readAtOnceBytes} order by seq`
      const known = await rows(pool, Row, prepared(statement))
      if (known.length === 0) return undefined
      return { events: known.filter((event) => event.seq > seq), isOver: known.some(({ last }) => last) }
    },

    async sweep() {
      await execute(pool, sql`delete from mcp_events where created_at < now() - make_interval(mins => ${keptMinutes})`)
    },
  }
}
