import type pg from 'pg'
import { z } from 'zod'
import { execute, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import type { ServiceAccounts } from '../domain/ports.ts'
import { aboutServiceAccount, grantIsLive, grantRevoked, lockGrant } from './grant-lineage.ts'

const Row = z.object({
  clientId: z.string(),
  workspace: z.string(),
  name: z.string(),
  description: z.string(),
  role: z.enum(['admin', 'member']),
  accountWide: z.boolean(),
  scopes: z.array(z.string()).nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
  createdBy: z.string(),
  updatedBy: z.string(),
})

const columns = sql.columns(Row)

export function postgresServiceAccounts(pool: pg.Pool): ServiceAccounts {
  const changed = (change: Sql, entry: string, before?: Sql) =>
    row(pool, Row, sql`${withAudit(change, aboutServiceAccount, entry, before)} select ${columns} from changed`)
  return {
    add: async (account, secretHash, by, grant) => {
      const { clientId, workspace, name, description, role, accountWide, scopes, createdAt, createdBy } = account
      const added = await changed(
        sql`insert into service_accounts (client_id, workspace, name, description, role, account_wide, secret_hash,
            scopes, grant_name, created_at, updated_at, created_by, updated_by)
          select ${clientId}, ${workspace}, ${name}, ${description}, ${role}, ${accountWide}, ${secretHash},
            ${scopes}::text[], ${grant ?? null}, ${createdAt}::timestamptz, ${createdAt}::timestamptz, ${createdBy},
            ${createdBy}
          where ${grantIsLive(grant)}
          on conflict (workspace, name) do nothing returning *`,
        auditEntry(by, 'serviceaccount.created'),
        lockGrant(grant),
      ).catch(throwWorkspaceMissing)
      if (!added && grant !== undefined && !(await isNameTaken(pool, workspace, name))) throw grantRevoked()
      return added
    },

    list: (workspace) =>
      rows(
        pool,
        Row,
        sql`select ${columns} from service_accounts where workspace = ${workspace} and ${ordinary}
          order by created_at desc, client_id`,
      ),

    find: (workspace, clientId) =>
      row(
        pool,
        Row,
        sql`select ${columns} from service_accounts
          where workspace = ${workspace} and client_id = ${clientId} and ${ordinary}`,
      ),

    update: ({ workspace, clientId, name, description, role, updatedAt, updatedBy }, by) =>
      changed(
        sql`update service_accounts set name = ${name}, description = coalesce(${description ?? null}, description),
            role = coalesce(${role ?? null}, role), updated_at = ${updatedAt}, updated_by = ${updatedBy}
          where workspace = ${workspace} and client_id = ${clientId} and ${ordinary} returning *`,
        auditEntry(by, 'serviceaccount.updated'),
      ).catch(throwNameTaken),

    remove: (workspace, clientId, by) =>
      changed(
        sql`delete from service_accounts
          where workspace = ${workspace} and client_id = ${clientId} and ${ordinary} returning *`,
        auditEntry(by, 'serviceaccount.deleted'),
      ),

    removeAny: (clientId, by) =>
      changed(
        sql`delete from service_accounts where client_id = ${clientId} returning *`,
        auditEntry(by, 'serviceaccount.deleted'),
      ),
  }
}

/** Only operators manage account-wide service accounts. */
const ordinary = sql`not account_wide`

const isNameTaken = async (pool: pg.Pool, workspace: string, name: string): Promise<boolean> =>
  (await execute(pool, sql`select from service_accounts where workspace = ${workspace} and name = ${name}`)) > 0

/** A misspelled name on the command line: API callers are in the workspace. */
function throwWorkspaceMissing(error: { code?: string }): never {
  if (error.code === '23503') throw new Failure('resource_unknown', 'No workspace has this name.')
  throw error
}

function throwNameTaken(error: { code?: string }): never {
  if (error.code === '23505') throw new Failure('name_taken', 'This name is taken.')
  throw error
}
