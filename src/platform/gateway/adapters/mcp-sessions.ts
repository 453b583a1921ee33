import type pg from 'pg'
import { z } from 'zod'
import { execute, prepared, row, type Sql, sql } from '../../../kit/database/sql.ts'
import type { McpSessions, SessionOwner } from '../domain/mcp.ts'

const isOf = (id: string, { workspace, kind, name, caller }: SessionOwner): Sql =>
  sql`id = ${id} and workspace = ${workspace} and kind = ${kind} and name = ${name} and caller = ${caller}`

const Row = z.object({ stale: z.boolean() })

/** A session nobody used for a day is gone. */
const idleHours = 24

export function postgresMcpSessions(pool: pg.Pool): McpSessions & { sweep(): Promise<void> } {
  return {
    async add(id, { workspace, kind, name, caller }) {
      await execute(
        pool,
        sql`insert into mcp_sessions (id, workspace, kind, name, caller)
          values (${id}, ${workspace}, ${kind}, ${name}, ${caller})`,
      )
    },

    // The update touches a row once an hour at most: a write for every request would cost more than the request.
    async isOpen(id, owner) {
      const session = await row(
        pool,
        Row,
        prepared(sql`select seen_at < now() - interval '1 hour' as stale from mcp_sessions where ${isOf(id, owner)}`),
      )
      if (session?.stale) await execute(pool, sql`update mcp_sessions set seen_at = now() where id = ${id}`)
      return session !== undefined
    },

    end: async (id, owner) => (await execute(pool, sql`delete from mcp_sessions where ${isOf(id, owner)}`)) === 1,

    async sweep() {
      await execute(pool, sql`delete from mcp_sessions where seen_at < now() - make_interval(hours => ${idleHours})`)
    },
  }
}
