import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import type { McpSessions, SessionOwner } from '../domain/mcp.ts'

const ofOwner = 'id = $1 and workspace = $2 and kind = $3 and name = $4 and caller = $5'
const values = (id: string, { workspace, kind, name, caller }: SessionOwner) => [id, workspace, kind, name, caller]

const Rows = z.array(z.object({ stale: z.boolean() }))

/** A session nobody used for a day is gone. */
const idleHours = 24

export function postgresMcpSessions(pool: pg.Pool): McpSessions & { sweep(): Promise<void> } {
  return {
    async add(id, owner) {
      await pool.query(
        'insert into mcp_sessions (id, workspace, kind, name, caller) values ($1, $2, $3, $4, $5)',
        values(id, owner),
      )
    },

    // The update touches a row once an hour at most: a write for every request would cost more than the request.
    async isOpen(id, owner) {
      const { rows } = await pool.query({
        name: 'mcp-session',
        text: `select seen_at < now() - interval '1 hour' as stale from mcp_sessions where ${ofOwner}`,
        values: values(id, owner),
      })
      const [session] = stored(Rows, rows)
      if (session?.stale) await pool.query('update mcp_sessions set seen_at = now() where id = $1', [id])
      return session !== undefined
    },

    async end(id, owner) {
      const { rowCount } = await pool.query(`delete from mcp_sessions where ${ofOwner}`, values(id, owner))
      return rowCount === 1
    },

    async sweep() {
      await pool.query('delete from mcp_sessions where seen_at < now() - make_interval(hours => $1)', [idleHours])
    },
  }
}
