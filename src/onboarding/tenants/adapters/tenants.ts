import { type Selectable, sql, type Transaction } from 'kysely'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import type { Database } from '../../../kit/database/database.ts'
import { auditRow } from '../../adapters/postgres/audit.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import { Failure } from '../../domain/failure.ts'
import type { NewTenant, Tenants } from '../../domain/ports/tenants.ts'
import { sealContext } from '../../domain/seal-context.ts'
import {
  assertActive,
  type Tenant,
  type TenantChanges,
  type TenantDetails,
  tenantSnapshot,
} from '../../domain/tenant.ts'
import { type Fingerprints, postgresOwnClients } from './own-clients.ts'
import { postgresSigningSecrets } from './signing-secrets.ts'

export function postgresTenants(db: Database<LedgerSchema>, box: SealedBox, tokens: Fingerprints): Tenants {
  const find = async (id: string) => {
    const row = await db.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst()
    return row && toTenant(row)
  }
  const inTransaction = <T>(act: (transaction: Transaction<LedgerSchema>) => Promise<T>) =>
    db.transaction().execute(act).catch(throwTakenWorkspace)
  const sealed = (id: string, secret: Parameters<SealedBox['seal']>[0]) =>
    box.seal(secret, sealContext.signingSecret(id))

  return {
    find,
    refresh: find,
    create: (tenant, signingSecret, audit) =>
      inTransaction((transaction) => insert(transaction, tenant, sealed(tenant.id, signingSecret), audit)),
    put: (tenant, signingSecret, audit) =>
      inTransaction(async (transaction) => {
        const made = await insert(transaction, tenant, sealed(tenant.id, signingSecret), audit)
        if (made) return { tenant: made, created: true }
        const changed = await change(transaction, tenant.id, tenant, audit)
        if (!changed) throw new Error('a tenant that was there a moment ago is never deleted')
        return { tenant: changed, created: false }
      }),
    update: (id, changes, audit) => inTransaction((transaction) => change(transaction, id, changes, audit)),
    async list({ cursor, limit }) {
      const rows = await db
        .selectFrom('tenants')
        .selectAll()
        .where('status', '<>', 'deleted')
        .$if(cursor !== undefined, (query) => query.where('id', '>', cursor ?? ''))
        .orderBy('id')
        .limit(limit + 1)
        .execute()
      return pageOf(rows.map(toTenant), limit, ({ id }) => id)
    },
    ...postgresSigningSecrets(db, box),
    ...postgresOwnClients(db, box, tokens),
  }
}

type Transacting = Transaction<LedgerSchema>

/** Returns undefined if the id is taken. */
async function insert(transaction: Transacting, tenant: NewTenant, secret: string, audit: EntryOf<'tenant.put'>) {
  const row = await transaction
    .insertInto('tenants')
    .values({ ...columnsOf(tenant), id: tenant.id, signing_secret: secret })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .returningAll()
    .executeTakeFirst()
  if (!row) return undefined
  const entry = auditRow({ ...audit, after: tenantSnapshot(toTenant(row)) })
  await transaction.insertInto('audit').values(entry).execute()
  return toTenant(row)
}

/** Locked first, so that what is noted as before is what is replaced, whoever else is at it. */
async function change(transaction: Transacting, id: string, changes: TenantChanges, audit: EntryOf<'tenant.put'>) {
  const locked = transaction.selectFrom('tenants').selectAll().where('id', '=', id).forNoKeyUpdate()
  const found = await locked.executeTakeFirst()
  if (!found) return undefined
  const before = toTenant(found)
  assertActive(before)
  const query = transaction
    .updateTable('tenants')
    .set({ ...columnsOf(changedBy(before, changes)), updated_at: sql`now()` })
  const after = toTenant(await query.where('id', '=', id).returningAll().executeTakeFirstOrThrow())
  const entry = auditRow({ ...audit, before: tenantSnapshot(before), after: tenantSnapshot(after) })
  await transaction.insertInto('audit').values(entry).execute()
  return after
}

const changedBy = (before: TenantDetails, changes: TenantChanges): TenantDetails => ({
  workspace: changes.workspace ?? before.workspace,
  displayName: changes.displayName ?? before.displayName,
  returnUrls: changes.returnUrls ?? before.returnUrls,
})

const columnsOf = (tenant: TenantDetails) => ({
  workspace: tenant.workspace,
  display_name: tenant.displayName,
  return_urls: tenant.returnUrls,
})

const toTenant = (row: Selectable<LedgerSchema['tenants']>): Tenant => ({
  id: row.id,
  workspace: row.workspace,
  displayName: row.display_name,
  returnUrls: row.return_urls,
  status: row.status,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

function throwTakenWorkspace(error: Error & { constraint?: string }): never {
  if (error.constraint !== 'tenants_workspace_key') throw error
  throw new Failure('workspace_taken', 'Another tenant already has this workspace.')
}
