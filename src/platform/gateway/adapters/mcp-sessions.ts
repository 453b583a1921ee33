import type pg from 'pg'
import { z } from 'zod'
import { execute, prepared, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import type { McpEvents, McpSessions, SessionOwner } from '../domain/mcp.ts'

const isOf = (id: string, { workspace, kind, name, caller }: SessionOwner): Sql =>
  sql`id = ${id} and workspace = ${workspace} and kind = ${kind} and name = ${name} and caller = ${caller}`

const Row = z.object({ stale: z.boolean(), urls: z.boolean(), forms: z.boolean(), cards: z.boolean() })

const idleHours = 24

export function postgresMcpSessions(pool: pg.Pool): McpSessions & { sweep(): Promise<void> } {
  return {
    async add(id, { workspace, kind, name, caller }, { urls, forms, cards }) {
      await execute(
        pool,
        sql`insert into mcp_sessions (id, workspace, kind, name, caller, takes_urls, takes_forms, shows_cards)
          values (${id}, ${workspace}, ${kind}, ${name}, ${caller}, ${urls}, ${forms}, ${cards})`,
      )
    },

    // Updates a row at most once an hour: a write per request would cost more than the request.
    async find(id, owner) {
      const session = await row(
        pool,
        Row,
        prepared(
          sql`select seen_at < now() - interval '1 hour' as stale, takes_urls as urls, takes_forms as forms,
              shows_cards as cards
            from mcp_sessions where ${isOf(id, owner)}`,
        ),
      )
      if (session?.stale) await execute(pool, sql`update mcp_sessions set seen_at = now() where id = ${id}`)
      return session
    },

    end: async (id, owner) => (await execute(pool, sql`delete from mcp_sessions where ${isOf(id, owner)}`)) === 1,

    async sweep() {
      await execute(pool, sql`delete from mcp_sessions where seen_at < now() - make_interval(hours => ${idleHours})`)
    },
  }
}

const EventRow = z.object({ seq: z.int(), message: z.string(), last: z.boolean() })

const keptMinutes = 15

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
      // Polled while a response is in progress, so messages that the client has seen are not read again.
      const statement = sql`
        select seq, case when seq > ${seq} then message else '' end as message, last from (
          select seq, message, last, coalesce(sum(octet_length(message)) filter (where seq > ${seq})
            over (order by seq rows between unbounded preceding and 1 preceding), 0) as bytes_before
          from mcp_events where session = ${session} and stream = ${stream} and (seq >= ${seq} or last)
        ) as known where bytes_before < ${readAtOnceBytes} order by seq`
      const known = await rows(pool, EventRow, prepared(statement))
      if (known.length === 0) return undefined
      return { events: known.filter((event) => event.seq > seq), isOver: known.some(({ last }) => last) }
    },

    async sweep() {
      await execute(pool, sql`delete from mcp_events where created_at < now() - make_interval(mins => ${keptMinutes})`)
    },
  }
}
