import { sql } from 'kysely'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import type { Database } from '../../../kit/database/database.ts'
import { auditRow } from '../../adapters/postgres/audit.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import { ClientUnreadable, clientSnapshot, type OAuthClient } from '../../domain/integration.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { sealContext } from '../../domain/seal-context.ts'

type OwnClients = Pick<Tenants, 'ownClient' | 'ownClients' | 'putOwnClient' | 'deleteOwnClient'>

/** OAuth clients that tenants brought with them. */
export function postgresOwnClients(db: Database<LedgerSchema>, box: SealedBox, tokens: Fingerprints): OwnClients {
  const open = (sealed: string, at: string) => {
    try {
      return box.open(sealed, at)
    } catch (cause) {
      throw new ClientUnreadable('the secret of an OAuth client does not open', { cause })
    }
  }
  const toClient = (tenant: string, integration: string, { client_id: id, client_secret: sealed }: ClientRow) => ({
    id,
    secret: sealed ? open(sealed, sealContext.oauthClient(tenant, integration)) : undefined,
  })
  const snapshot = (integration: string, { id, secret }: OAuthClient) =>
    clientSnapshot(integration, id, secret && tokens.fingerprint(secret))
  /** A client whose secret does not open any more, because a key was lost, can still be replaced or deleted. */
  const snapshotOf = (tenant: string, integration: string, row: ClientRow) => {
    try {
      return snapshot(integration, toClient(tenant, integration, row))
    } catch {
      return clientSnapshot(integration, row.client_id, 'unreadable')
    }
  }

  return {
    async ownClient(tenant, integration) {
      const row = await clientAt(db, tenant, integration).executeTakeFirst()
      return row && toClient(tenant, integration, row)
    },
    async ownClients(tenant) {
      const query = db.selectFrom('tenant_oauth_clients').selectAll().where('tenant', '=', tenant)
      return (await query.orderBy('integration').execute()).map((row) => ({
        integration: row.integration,
        clientId: row.client_id,
        hasSecret: row.client_secret !== null,
        createdAt: row.created_at,
        updatedAt: row.updated_at,
      }))
    },
    async putOwnClient(tenant, integration, client, audit) {
      const sealed = client.secret ? box.seal(client.secret, sealContext.oauthClient(tenant, integration)) : null
      const columns = { client_id: client.id, client_secret: sealed }
      await db.transaction().execute(async (transaction) => {
        const made = await transaction
          .insertInto('tenant_oauth_clients')
          .values({ tenant, integration, ...columns })
          .onConflict((conflict) => conflict.doNothing())
          .executeTakeFirst()
        const known = made.numInsertedOrUpdatedRows === 0n
        // Locked, so that what is noted as before is what is replaced, whoever else is at it.
        const row = known ? await clientAt(transaction, tenant, integration).forUpdate().executeTakeFirst() : undefined
        const before = row && snapshotOf(tenant, integration, row)
        if (known) {
          const query = transaction.updateTable('tenant_oauth_clients').set({ ...columns, updated_at: sql`now()` })
          await query.where('tenant', '=', tenant).where('integration', '=', integration).execute()
        }
        const entry = auditRow({ ...audit, before, after: snapshot(integration, client) })
        await transaction.insertInto('audit').values(entry).execute()
      })
    },
    deleteOwnClient: (tenant, integration, audit) =>
      db.transaction().execute(async (transaction) => {
        const row = await transaction
          .deleteFrom('tenant_oauth_clients')
          .where('tenant', '=', tenant)
          .where('integration', '=', integration)
          .returning(['client_id', 'client_secret'])
          .executeTakeFirst()
        if (!row) return false
        const before = snapshotOf(tenant, integration, row)
        await transaction
          .insertInto('audit')
          .values(auditRow({ ...audit, before }))
          .execute()
        return true
      }),
  }
}

export type Fingerprints = Pick<Tokens, 'fingerprint'>

type ClientRow = { client_id: string; client_secret: string | null }

const clientAt = (db: Database<LedgerSchema>, tenant: string, integration: string) =>
  db
    .selectFrom('tenant_oauth_clients')
    .select(['client_id', 'client_secret'])
    .where('tenant', '=', tenant)
    .where('integration', '=', integration)
