import { type Selectable, sql } from 'kysely'
import type { Database } from '../../../../kit/database/database.ts'
import type { LedgerSchema, StoredGrantTable } from '../../../adapters/postgres/schema.ts'
import type { StoredGrants } from '../../../domain/ports/connections.ts'
import type { StoredGrant } from '../../../domain/stored-grant.ts'

export function postgresStoredGrants(db: Database<LedgerSchema>): StoredGrants {
  return {
    async find(connectionId, slot) {
      const row = await db
        .selectFrom('stored_grants')
        .selectAll()
        .where('connection_id', '=', connectionId)
        .where('slot', '=', slot)
        // A grant whose time is over is as good as wiped, also before somebody got round to it.
        .where(({ or, eb }) => or([eb('keep_until', 'is', null), eb('keep_until', '>', sql<Date>`now()`)]))
        .executeTakeFirst()
      return row && toStoredGrant(row)
    },
    async keepTrialRefresh(linkId, sealed) {
      await db.updateTable('stored_grants').set({ trial_refresh: sealed }).where('link_id', '=', linkId).execute()
    },
    async sharesConsent({ integration, accountId, clientId, except = '' }) {
      const { rows } = await sql`
        select 1 from connections left join stored_grants on connection_id = connections.id and slot = 'current'
        where integration = ${integration} and account_id = ${accountId} and status <> 'disconnected'
          and connections.id <> ${except} and (client_id is null or client_id = ${clientId})
        limit 1`.execute(db)
      return rows.length > 0
    },
    async outlived(limit) {
      const rows = await db
        .selectFrom('stored_grants')
        .selectAll()
        .where('keep_until', '<=', sql<Date>`now()`)
        .orderBy('keep_until')
        .limit(limit)
        .execute()
      return rows.map(toStoredGrant)
    },
    async wipe(linkId) {
      await db.deleteFrom('stored_grants').where('link_id', '=', linkId).execute()
    },
  }
}

const toStoredGrant = (row: Selectable<StoredGrantTable>): StoredGrant => ({
  linkId: row.link_id,
  connectionId: row.connection_id,
  slot: row.slot,
  sealed: row.sealed ?? undefined,
  trialRefresh: row.trial_refresh ?? undefined,
  fingerprint: row.fingerprint ?? undefined,
  clientId: row.client_id ?? undefined,
  rotates: row.rotates,
  keepUntil: row.keep_until ?? undefined,
  createdAt: row.created_at,
})
