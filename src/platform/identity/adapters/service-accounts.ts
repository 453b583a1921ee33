import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { auditEntry, withAudit } from '../../shared/postgres/audit.ts'
import type { ServiceAccount, ServiceAccounts } from '../domain/ports.ts'

const columns = `client_id as "clientId", workspace, name, description, role, created_at as "createdAt",
  updated_at as "updatedAt", created_by as "createdBy", updated_by as "updatedBy"`

const Row = z.object({
  clientId: z.string(),
  workspace: z.string(),
  name: z.string(),
  description: z.string(),
  role: z.enum(['admin', 'member']),
  createdAt: z.date(),
  updatedAt: z.date(),
  createdBy: z.string(),
  updatedBy: z.string(),
})

export function postgresServiceAccounts(pool: pg.Pool): ServiceAccounts {
  const one = async (text: string, values: unknown[]): Promise<ServiceAccount | undefined> => {
    const { rows } = await pool.query(text, values)
    return rows[0] && stored(Row, rows[0])
  }
  return {
    add: (account, secretHash, by) =>
      one(`${withAudit(insert, about, '$9')} select ${columns} from changed`, [
        account.clientId,
        account.workspace,
        account.name,
        account.description,
        account.role,
        secretHash,
        account.createdAt,
        account.createdBy,
        auditEntry(by, 'serviceaccount.created'),
      ]).catch(throwWorkspaceMissing),

    async list(workspace) {
      const text = `select ${columns} from service_accounts where workspace = $1 order by created_at desc, client_id`
      return stored(z.array(Row), (await pool.query(text, [workspace])).rows)
    },

    find: (workspace, clientId) =>
      one(`select ${columns} from service_accounts where workspace = $1 and client_id = $2`, [workspace, clientId]),

    update: ({ workspace, clientId, name, description, role, updatedAt, updatedBy }, by) =>
      one(`${withAudit(update, about, '$8')} select ${columns} from changed`, [
        ...[workspace, clientId, name, description ?? null, role ?? null, updatedAt, updatedBy],
        auditEntry(by, 'serviceaccount.updated'),
      ]).catch(throwNameTaken),

    remove: (workspace, clientId, by) =>
      one(`${withAudit(remove, about, '$3')} select ${columns} from changed`, [
        workspace,
        clientId,
        auditEntry(by, 'serviceaccount.deleted'),
      ]),
  }
}

const about = { workspace: 'c.workspace', kind: `'serviceaccount'`, name: 'c.name', id: 'c.client_id' }

const insert = `insert into service_accounts (client_id, workspace, name, description, role, secret_hash, created_at,
    updated_at, created_by, updated_by)
  values ($1, $2, $3, $4, $5, $6, $7, $7, $8, $8) on conflict (workspace, name) do nothing returning *`

const update = `update service_accounts set name = $3, description = coalesce($4, description),
    role = coalesce($5, role), updated_at = $6, updated_by = $7
  where workspace = $1 and client_id = $2 returning *`

const remove = 'delete from service_accounts where workspace = $1 and client_id = $2 returning *'

/** Only an operator can meet this, by a misspelled name: callers of the API are inside the workspace. */
function throwWorkspaceMissing(error: { code?: string }): never {
  if (error.code === '23503') throw new Failure('resource_unknown', 'No workspace has this name.')
  throw error
}

function throwNameTaken(error: { code?: string }): never {
  if (error.code === '23505') throw new Failure('name_taken', 'This name is taken.')
  throw error
}
