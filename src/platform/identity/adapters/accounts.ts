import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import type { Accounts } from '../domain/ports.ts'

const Row = z.object({ id: z.string(), name: z.string(), role: z.enum(['admin', 'member']), createdAt: z.date() })

export function postgresAccounts(pool: pg.Pool): Accounts {
  const read = async (text: string, id: string) => stored(z.array(Row), (await pool.query(text, [id])).rows)
  return {
    ofUser: (userId) =>
      read(
        `select a.id, a.name, m.role, a.created_at as "createdAt" from accounts a
         join account_members m on m.account_id = a.id where m.user_id = $1 order by a.created_at, a.id`,
        userId,
      ),

    // A service account belongs to a workspace; the account behind it sees it as a member, never as its admin.
    ofServiceAccount: (clientId) =>
      read(
        `select a.id, a.name, 'member' as role, a.created_at as "createdAt" from accounts a
         join workspaces w on w.account_id = a.id join service_accounts s on s.workspace = w.name
         where s.client_id = $1`,
        clientId,
      ),
  }
}
