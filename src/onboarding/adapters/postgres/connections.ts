import type { Selectable } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Connections } from '../../domain/ports.ts'
import type { ConnectionTable, LedgerSchema } from './schema.ts'

export function postgresConnections(db: Database<LedgerSchema>): Connections {
  return {
    async find(id) {
      const row = await db.selectFrom('connections').selectAll().where('id', '=', id).executeTakeFirst()
      return row && toConnection(row)
    },
    async list({ tenant, integration, status, endUserId, cursor, limit }) {
      let query = db
        .selectFrom('connections')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (tenant !== undefined) query = query.where('tenant', '=', tenant)
      if (integration !== undefined) query = query.where('integration', '=', integration)
      if (status !== undefined) query = query.where('status', '=', status)
      if (endUserId !== undefined) query = query.where('end_user_id', '=', endUserId)
      if (cursor !== undefined) query = query.where('id', '<', cursor)
      const rows = await query.execute()
      const data = rows.slice(0, limit).map(toConnection)
      return { data, nextCursor: rows.length > limit ? data.at(-1)?.id : undefined }
    },
  }
}

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
  endUserId: row.end_user_id,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
