import type pg from 'pg'
import { z } from 'zod'
import { execute, one, type Sql, sql } from '../../../kit/database/sql.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { throwNameResting } from '../../shared/postgres/names-at-rest.ts'
import type { Tenancy } from '../domain/ports.ts'

const Id = z.object({ id: z.string() })
const Owner = z.object({ accountId: z.string() })

export function postgresTenancy(pool: pg.Pool): Tenancy {
  // The no-op update makes `returning` include an existing row.
  const ensure = async (statement: Sql): Promise<string> => (await one(pool, Id, statement)).id
  return {
    ensureAccount: (id, name) =>
      ensure(sql`
        insert into accounts (id, name) values (${id}, ${name})
        on conflict (name) do update set name = excluded.name returning id`),

    ensureUser: (id, email) =>
      ensure(sql`
        insert into users (id, email) values (${id}, lower(${email}))
        on conflict (email) do update set email = excluded.email returning id`),

    async ensureAccountAdmin(accountId, userId) {
      await execute(
        pool,
        sql`insert into account_members (account_id, user_id, role) values (${accountId}, ${userId}, 'admin')
          on conflict (account_id, user_id) do update set role = 'admin'`,
      )
    },

    async ensureWorkspace(id, name, accountId, by) {
      const owner = await one(
        pool,
        Owner,
        sql`insert into workspaces (id, name, account_id, display_name, status, created_by, updated_by)
          values (${id}, ${name}, ${accountId}, ${name}, 'ready', ${by}, ${by})
          on conflict (name) do update set name = excluded.name returning account_id as "accountId"`,
      ).catch(throwNameResting)
      if (owner.accountId !== accountId) {
        throw new Failure('name_taken', `Workspace ${name} belongs to another account.`)
      }
    },

    async ensureWorkspaceAdmin(workspace, userId) {
      await execute(
        pool,
        sql`insert into workspace_members (workspace, user_id, role) values (${workspace}, ${userId}, 'admin')
          on conflict (workspace, user_id) do update set role = 'admin'`,
      )
    },
  }
}
