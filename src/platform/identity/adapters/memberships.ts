import type pg from 'pg'
import { z } from 'zod'
import { prepared, rows, sql } from '../../../kit/database/sql.ts'
import type { Memberships } from '../domain/ports.ts'

const Row = z.object({ workspace: z.string(), role: z.enum(['admin', 'member']) })

export function postgresMemberships(pool: pg.Pool): Memberships {
  return {
    ofUser: (userId) =>
      rows(
        pool,
        Row,
        prepared(sql`select workspace, role from workspace_access where user_id = ${userId} order by workspace`),
      ),

    ofServiceAccount: (clientId) =>
      rows(pool, Row, prepared(sql`select workspace, role from service_accounts where client_id = ${clientId}`)),
  }
}
