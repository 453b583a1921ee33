import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { throwNameResting } from '../../shared/postgres/names-at-rest.ts'
import type { Tenancy } from '../domain/ports.ts'

const Id = z.object({ id: z.string() })
const Owner = z.object({ accountId: z.string() })

export function postgresTenancy(pool: pg.Pool): Tenancy {
  // The update that changes nothing makes `returning` answer for a row that was there already.
  const ensure = async (text: string, values: unknown[]): Promise<string> =>
    stored(Id, (await pool.query(text, values)).rows[0]).id
  return {
    ensureAccount: (id, name) =>
      ensure(
        'insert into accounts (id, name) values ($1, $2) on conflict (name) do update set name = excluded.name returning id',
        [id, name],
      ),

    ensureUser: (id, email) =>
      ensure(
        `insert into users (id, email) values ($1, lower($2))
         on conflict (email) do update set email = excluded.email returning id`,
        [id, email],
      ),

    async ensureAccountAdmin(accountId, userId) {
      await pool.query(
        `insert into account_members (account_id, user_id, role) values ($1, $2, 'admin')
         on conflict (account_id, user_id) do update set role = 'admin'`,
        [accountId, userId],
      )
    },

    async ensureWorkspace(id, name, accountId, by) {
      const { rows } = await pool
        .query(
          `insert into workspaces (id, name, account_id, display_name, status, created_by, updated_by)
           values ($1, $2, $3, $2, 'ready', $4, $4)
           on conflict (name) do update set name = excluded.name returning account_id as "accountId"`,
          [id, name, accountId, by],
        )
        .catch(throwNameResting)
      if (stored(Owner, rows[0]).accountId !== accountId) {
        throw new Failure('name_taken', `Workspace ${name} belongs to another account.`)
      }
    },

    async ensureWorkspaceAdmin(workspace, userId) {
      await pool.query(
        `insert into workspace_members (workspace, user_id, role) values ($1, $2, 'admin')
         on conflict (workspace, user_id) do update set role = 'admin'`,
        [workspace, userId],
      )
    },
  }
}
