import type pg from 'pg'
import { z } from 'zod'
import { rows, sql } from '../../../kit/database/sql.ts'
import type { Accounts } from '../domain/ports.ts'

const Row = z.object({ id: z.string(), name: z.string(), role: z.enum(['admin', 'member']), createdAt: z.date() })

export function postgresAccounts(pool: pg.Pool): Accounts {
  return {
    ofUser: (userId) =>
      rows(
        pool,
        Row,
        sql`select a.id, a.name, m.role, a.created_at as "createdAt" from accounts a
          join account_members m on m.account_id = a.id where m.user_id = ${userId} order by a.created_at, a.id`,
      ),

    // A service account belongs to a workspace; the account behind it sees it as a member, never as its admin.
    ofServiceAccount: (clientId) =>
      rows(
        pool,
        Row,
        sql`select a.id, a.name, 'member' as role, a.created_at as "createdAt" from accounts a
          join workspaces w on w.account_id = a.id join service_accounts s on s.workspace = w.name
          where s.client_id = ${clientId}`,
      ),
  }
}
