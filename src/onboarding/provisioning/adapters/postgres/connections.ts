import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../../../../kit/database/database.ts'
import { pageOf } from '../../../adapters/postgres/page-of.ts'
import type { ConnectionTable, LedgerSchema } from '../../../adapters/postgres/schema.ts'
import { inSeconds } from '../../../adapters/postgres/statement-parts.ts'
import type { Connection } from '../../../domain/connection.ts'
import type { EndUser } from '../../../domain/link.ts'
import type { Connections } from '../../../domain/ports/connections.ts'

/** `briefSeconds`: longer than the provider and the platform together may take to answer. */
export function postgresConnections(db: Database<LedgerSchema>, briefSeconds = 60): Connections {
  return {
    async find(id) {
      const row = await db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toConnection(row)
    },
    async lock(id, holder) {
      // The lock of a link or task counts only while that is in progress, so nobody has to unlock it.
      const { rows } = await sql`
        update connections set locked_by = ${holder}, locked_until = null
        where id = ${id} and ${mayLock(holder)}
        returning id`.execute(db)
      return rows.length === 1
    },
    async lockBriefly(id, holder) {
      // If its holder dies with the newest token in hand, the next check comes as soon as the time is over.
      const { rows } = await sql`
        update connections set locked_by = ${holder}, locked_until = ${inSeconds(briefSeconds)},
          health_due_at = least(health_due_at, ${inSeconds(briefSeconds)})
        where id = ${id} and ${mayLock(holder)}
        returning id`.execute(db)
      return rows.length === 1
    },
    async unlock(id, holder) {
      const ours = db.updateTable('connections').where('id', '=', id).where('locked_by', '=', holder)
      await ours.set({ locked_by: null, locked_until: null }).execute()
    },
    async list({ tenant, integration, status, cause, endUserId, cursor, limit }) {
      let query = db
        .selectFrom('connections')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (tenant !== undefined) query = query.where('tenant', '=', tenant)
      if (integration !== undefined) query = query.where('integration', '=', integration)
      if (status !== undefined) query = query.where('status', '=', status)
      if (cause !== undefined) query = query.where('cause', '=', cause)
      if (endUserId !== undefined) query = query.where('end_user_id', '=', endUserId)
      if (cursor !== undefined) query = query.where('id', '<', cursor)
      return pageOf((await query.execute()).map(toConnection), limit, ({ id }) => id)
    },
    async endUser({ id, endUserId }) {
      const { rows } = await sql<{ endUser: EndUser | null }>`select ${firstEndUser(sql`${id}`)} as "endUser"`.execute(
        db,
      )
      return rows[0]?.endUser ?? { id: endUserId }
    },
  }
}

/** A connection keeps the id alone; the link that made it has the name and e-mail address that came with it. */
export const firstEndUser = (connectionId: RawBuilder<unknown>) => sql<EndUser | null>`(
  select end_user from links where links.connection_id = ${connectionId} order by links.id limit 1)`

const mayLock = (holder: string) => sql`status <> 'disconnected' and (
  locked_by is null or locked_by = ${holder} or not (${isLockLive})
)`

/** A link that waits for a person, be it support or the user who came with another account, locks nothing meanwhile. */
export const isLockLive = sql`
  exists (
    select from links where links.id = locked_by
      and state not in ('authorizing', 'code_waiting', 'linked', 'denied', 'abandoned', 'failed', 'exchange_unknown',
        'needs_attention')
  ) or exists (select from connection_tasks where connection_tasks.id = locked_by and due_at is not null)
  or coalesce(locked_until > now(), false)`

export const toConnection = (row: Selectable<ConnectionTable>): Connection => ({
  id: row.id,
  tenant: row.tenant,
  workspace: row.workspace,
  integration: row.integration,
  name: row.name,
  functionName: row.function_name,
  functionUrl: row.function_url,
  account: row.account_id === null ? undefined : { id: row.account_id, label: row.account_label ?? row.account_id },
  scopes: row.scopes,
  status: row.status,
  cause: row.cause ?? undefined,
  grantVersion: row.grant_version,
  checkedAt: row.checked_at ?? undefined,
  relinkedAt: row.relinked_at ?? undefined,
  disconnectedAt: row.disconnected_at ?? undefined,
  endUserId: row.end_user_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
