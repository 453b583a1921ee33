import { type Selectable, sql, type Transaction } from 'kysely'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import type { Database } from '../../../kit/database/database.ts'
import { auditRow } from '../../adapters/postgres/audit.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import { Failure } from '../../domain/failure.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { place } from '../../domain/sealed-place.ts'
import { type Tenant, tenantSnapshot } from '../../domain/tenant.ts'
import { type Fingerprints, postgresOwnClients } from './own-clients.ts'
import { postgresSigningSecrets } from './signing-secrets.ts'

export function postgresTenants(db: Database<LedgerSchema>, box: SealedBox, tokens: Fingerprints): Tenants {
  return {
    async find(id) {
      const row = await db.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toTenant(row)
    },
    async put(tenant, signingSecret, audit) {
      const sealed = box.seal(signingSecret, place.signingSecret(tenant.id))
      const columns = tenantColumns(tenant)
      return db
        .transaction()
        .execute(async (transaction) => {
          const made = await transaction
            .insertInto('tenants')
            .values({ ...columns, id: tenant.id, signing_secret: sealed })
            .onConflict((conflict) => conflict.column('id').doNothing())
            .returningAll()
            .executeTakeFirst()
          const { before, row } = made
            ? { before: undefined, row: made }
            : await change(transaction, tenant.id, columns)
          const entry = auditRow({ ...audit, before, after: tenantSnapshot(toTenant(row)) })
          await transaction.insertInto('audit').values(entry).execute()
          return { tenant: toTenant(row), created: made !== undefined }
        })
        .catch(throwTakenWorkspace)
    },
    async list({ cursor, limit }) {
      const rows = await db
        .selectFrom('tenants')
        .selectAll()
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

/** Locked first, so that what is noted as before is what is replaced, whoever else is at it. */
async function change(transaction: Transaction<LedgerSchema>, id: string, columns: ReturnType<typeof tenantColumns>) {
  const locked = transaction.selectFrom('tenants').selectAll().where('id', '=', id).forNoKeyUpdate()
  const before = tenantSnapshot(toTenant(await locked.executeTakeFirstOrThrow()))
  const query = transaction.updateTable('tenants').set({ ...columns, updated_at: sql`now()` })
  return { before, row: await query.where('id', '=', id).returningAll().executeTakeFirstOrThrow() }
}

const tenantColumns = (tenant: Pick<Tenant, 'workspace' | 'displayName' | 'returnUrls'>) => ({
  workspace: tenant.workspace,
  display_name: tenant.displayName,
  return_urls: tenant.returnUrls,
})

const toTenant = (row: Selectable<LedgerSchema['tenants']>): Tenant => ({
  id: row.id,
  workspace: row.workspace,
  displayName: row.display_name,
  returnUrls: row.return_urls,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})

function throwTakenWorkspace(error: Error & { constraint?: string }): never {
  if (error.constraint !== 'tenants_workspace_key') throw error
  throw new Failure('workspace_taken', 'Another tenant already has this workspace.')
}
