import { type Selectable, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { SealedBox } from '../../../kit/sealed-box.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Tenants } from '../../domain/ports.ts'
import { place } from '../../domain/sealed-place.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { auditRow, changeAudited } from './audit.ts'
import type { LedgerSchema } from './schema.ts'

export function postgresTenants(db: Database<LedgerSchema>, box: SealedBox): Tenants {
  return {
    async find(id) {
      const row = await db.selectFrom('tenants').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toTenant(row)
    },
    async put(tenant, signingSecret, audit) {
      const sealed = box.seal(signingSecret, place.signingSecret(tenant.id))
      return db
        .transaction()
        .execute(async (transaction) => {
          const row = await transaction
            .insertInto('tenants')
            .values({ ...tenantColumns(tenant), id: tenant.id, signing_secret: sealed })
            .onConflict((conflict) =>
              conflict.column('id').doUpdateSet({ ...tenantColumns(tenant), updated_at: sql`now()` }),
            )
            .returningAll()
            .returning(sql<boolean>`xmax = 0`.as('created'))
            .executeTakeFirstOrThrow()
          await transaction.insertInto('audit').values(auditRow(audit)).execute()
          return { tenant: toTenant(row), created: row.created }
        })
        .catch(refuseTakenWorkspace)
    },
    async list({ cursor, limit }) {
      const rows = await db
        .selectFrom('tenants')
        .selectAll()
        .$if(cursor !== undefined, (query) => query.where('id', '>', cursor ?? ''))
        .orderBy('id')
        .limit(limit + 1)
        .execute()
      const data = rows.slice(0, limit).map(toTenant)
      return { data, nextCursor: rows.length > limit ? data.at(-1)?.id : undefined }
    },
    async signingSecret(id) {
      const row = await db.selectFrom('tenants').select('signing_secret').where('id', '=', id).executeTakeFirst()
      if (!row) throw missing('tenant')
      return box.open(row.signing_secret, place.signingSecret(id))
    },
    async ownClient(tenant, integration) {
      const row = await db
        .selectFrom('tenant_oauth_clients')
        .select(['client_id', 'client_secret'])
        .where('tenant', '=', tenant)
        .where('integration', '=', integration)
        .executeTakeFirst()
      const at = place.oauthClient(tenant, integration)
      return row && { id: row.client_id, secret: row.client_secret ? box.open(row.client_secret, at) : undefined }
    },
    async ownClients(tenant) {
      const query = db.selectFrom('tenant_oauth_clients').select('integration').where('tenant', '=', tenant)
      return (await query.execute()).map(({ integration }) => integration)
    },
    async putOwnClient(tenant, integration, client, audit) {
      const sealed = client.secret ? box.seal(client.secret, place.oauthClient(tenant, integration)) : null
      const columns = { client_id: client.id, client_secret: sealed }
      await db
        .with('noted', (query) => query.insertInto('audit').values(auditRow(audit)))
        .insertInto('tenant_oauth_clients')
        .values({ tenant, integration, ...columns })
        .onConflict((conflict) =>
          conflict.columns(['tenant', 'integration']).doUpdateSet({ ...columns, updated_at: sql`now()` }),
        )
        .execute()
    },
    deleteOwnClient: (tenant, integration, audit) =>
      changeAudited(db, audit, async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('tenant_oauth_clients')
          .where('tenant', '=', tenant)
          .where('integration', '=', integration)
          .executeTakeFirst()
        return numDeletedRows
      }),
  }
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

function refuseTakenWorkspace(error: Error & { constraint?: string }): never {
  if (error.constraint !== 'tenants_workspace_key') throw error
  throw new Failure('workspace_taken', 'Another tenant already has this workspace.')
}
