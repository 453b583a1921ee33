import type pg from 'pg'
import { z } from 'zod'
import { prepared, row, rows, sql } from '../../../kit/database/sql.ts'
import type { Accounts, Memberships } from '../domain/ports.ts'

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

    // A service account belongs to a workspace and is a member of its account, never an admin.
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

const MembershipRow = z.object({ workspace: z.string(), role: z.enum(['admin', 'member']) })

const reach = sql`select w.name as workspace, s.role from service_accounts s
  join workspaces home on home.name = s.workspace
  join workspaces w on w.name = home.name or (s.account_wide and w.account_id = home.account_id)`

export function postgresMemberships(pool: pg.Pool): Memberships {
  return {
    ofUser: (userId) =>
      rows(
        pool,
        MembershipRow,
        prepared(sql`select workspace, role from workspace_access where user_id = ${userId} order by workspace`),
      ),

    ofServiceAccount: (clientId) => rows(pool, MembershipRow, prepared(sql`${reach} where s.client_id = ${clientId}`)),

    ofServiceAccountIn: (clientId, workspace) =>
      row(pool, MembershipRow, prepared(sql`${reach} where s.client_id = ${clientId} and w.name = ${workspace}`)),
  }
}
