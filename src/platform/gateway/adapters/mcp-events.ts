import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import type { McpEvents } from '../domain/mcp.ts'

const Row = z.object({ seq: z.int(), message: z.string(), last: z.boolean() })

/** As long as an answer may take. */
const keptMinutes = 15

export function postgresMcpEvents(pool: pg.Pool): McpEvents & { sweep(): Promise<void> } {
  return {
    async add(session, stream, { seq, message, last }) {
      await pool.query({
        name: 'add-mcp-event',
        text: 'insert into mcp_events (session, stream, seq, message, last) values ($1, $2, $3, $4, $5)',
        values: [session, stream, seq, JSON.stringify(message), last],
      })
    },

    async after(session, stream, seq) {
      const { rows } = await pool.query({
        name: 'mcp-events-after',
        text: 'select seq, message, last from mcp_events where session = $1 and stream = $2 order by seq',
        values: [session, stream],
      })
      if (rows.length === 0) return undefined
      const known = stored(z.array(Row), rows)
      const missed = known.filter((event) => event.seq > seq)
      return {
        events: missed.map((event) => ({ ...event, message: JSON.parse(event.message) })),
        isOver: known.some(({ last }) => last),
      }
    },

    async sweep() {
      await pool.query('delete from mcp_events where created_at < now() - make_interval(mins => $1)', [keptMinutes])
    },
  }
}
