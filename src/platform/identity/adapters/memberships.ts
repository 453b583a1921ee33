import type pg from 'pg'
import { z } from 'zod'
import { prepared, row, rows, sql } from '../../../kit/database/sql.ts'
import type { Memberships } from '../domain/ports.ts'

const Row = z.object({ workspace: z.string(), role: z.enum(['admin', 'member']) })

/** Its own workspace, and with `account_wide` every one of the same account. */
const reach = sql`select w.name as workspace, s.role from service_accounts s
  join workspaces home on home.name = s.workspace
  join workspaces w on w.name = home.name or (s.account_wide and w.account_id = home.account_id)`

export function postgresMemberships(pool: pg.Pool): Memberships {
  return {
    ofUser: (userId) =>
      rows(
        pool,
        Row,
        prepared(sql`select workspace, role from workspace_access where user_id = ${userId} order by workspace`),
      ),

    ofServiceAccount: (clientId) => rows(pool, Row, prepared(sql`${reach} where s.client_id = ${clientId}`)),

    ofServiceAccountIn: (clientId, workspace) =>
      row(pool, Row, prepared(sql`${reach} where s.client_id = ${clientId} and w.name = ${workspace}`)),
  }
}
