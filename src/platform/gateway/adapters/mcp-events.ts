import type pg from 'pg'
import { z } from 'zod'
import { execute, prepared, rows, sql } from '../../../kit/database/sql.ts'
import type { McpEvents } from '../domain/mcp.ts'

const Row = z.object({ seq: z.int(), message: z.string(), last: z.boolean() })

/** As long as an answer may take. */
const keptMinutes = 15

export function postgresMcpEvents(pool: pg.Pool): McpEvents & { sweep(): Promise<void> } {
  return {
    async add(session, stream, { seq, message, last }) {
      const statement = sql`
        insert into mcp_events (session, stream, seq, message, last)
        values (${session}, ${stream}, ${seq}, ${JSON.stringify(message)}, ${last})`
      await execute(pool, prepared(statement))
    },

    async after(session, stream, seq) {
      // Asked again and again while an answer is under way: what its client has seen is not read once more.
      const statement = sql`
        select seq, case when seq > ${seq} then message else '' end as message, last from mcp_events
        where session = ${session} and stream = ${stream} and (seq >= ${seq} or last) order by seq`
      const known = await rows(pool, Row, prepared(statement))
      if (known.length === 0) return undefined
      const missed = known.filter((event) => event.seq > seq)
      return {
        events: missed.map((event) => ({ ...event, message: JSON.parse(event.message) })),
        isOver: known.some(({ last }) => last),
      }
    },

    async sweep() {
      await execute(pool, sql`delete from mcp_events where created_at < now() - make_interval(mins => ${keptMinutes})`)
    },
  }
}
