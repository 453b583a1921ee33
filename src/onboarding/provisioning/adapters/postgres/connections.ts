import { z } from 'zod'
import type { Prepared } from '../../../../kit/database/prepared.ts'
import { execute, maybe, one, type Queryable, row, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { type Cursor, newestPage } from '../../../adapters/postgres/page-of.ts'
import { Count, EndUserColumn } from '../../../adapters/postgres/schema.ts'
import { inMode, inSeconds, matching, noted } from '../../../adapters/postgres/statement-parts.ts'
import { lockingStates } from '../../../domain/link.ts'
import type { Labels } from '../../../domain/linking/connection-names.ts'
import type { Connections } from '../../../domain/ports/connections.ts'
import { rethrowAliasTaken } from './link-move.ts'
import { ConnectionRow, connectionColumns } from './rows.ts'

/** `briefSeconds`: longer than the timeouts of provider and platform together. */
export function postgresConnections(db: Queryable, run: Prepared, briefSeconds = 60): Connections {
  return {
    find: (id) => row(db, ConnectionRow, sql`select ${connectionColumns} from connections where id = ${id}`),
    async create({ id, tenant, workspace, integration, name, functionName, functionUrl, ...more }, audit) {
      const { config, endUserId, alias, labels } = more
      await execute(
        db,
        sql`
          with created as (
            insert into connections (id, tenant, workspace, integration, name, function_name, function_url, scopes, config,
              status, end_user_id, alias, labels)
            values (${id}, ${tenant}, ${workspace}, ${integration}, ${name}, ${functionName}, ${functionUrl}, '{}',
              ${JSON.stringify(config)}::jsonb, 'not_linked', ${endUserId}, ${alias ?? null}, ${json(labels) ?? null})
            on conflict (id) do nothing
            returning tenant
          ), ${noted(audit, 'created')}
          select from created`,
      ).catch(rethrowAliasTaken)
      return one(db, ConnectionRow, sql`select ${connectionColumns} from connections where id = ${id}`)
    },
    named: (workspace, name) =>
      row(
        db,
        ConnectionRow,
        sql`select ${connectionColumns} from connections where workspace = ${workspace} and name = ${name}`,
      ),
    async lock(id, holder) {
      // A lock of a link or task counts only while that is in progress, so it needs no unlock.
      const locked = await execute(
        db,
        sql`
          update connections set locked_by = ${holder}, locked_until = null where id = ${id} and ${mayLock(holder)}`,
      )
      return locked === 1
    },
    async lockBriefly(id, holder) {
      // If the holder dies with the newest token, the next check starts as soon as the lock expires.
      const locked = await execute(
        db,
        sql`
          update connections set locked_by = ${holder}, locked_until = ${inSeconds(briefSeconds)},
            health_due_at = least(health_due_at, ${inSeconds(briefSeconds)})
          where id = ${id} and ${mayLock(holder)}`,
      )
      return locked === 1
    },
    async unlock(id, holder) {
      await execute(
        db,
        sql`update connections set locked_by = null, locked_until = null where id = ${id} and locked_by = ${holder}`,
      )
    },
    async list({ tenant, testMode, integration, status, cause, endUserId, alias, labels, cursor, limit }) {
      const wanted = matching({ tenant, integration, status, cause, end_user_id: endUserId, alias })
      const labelled = labels ? sql`and labels @> ${JSON.stringify(labels)}::jsonb` : sql``
      return connectionsPage(db, sql`${wanted} ${labelled} and ${inMode(testMode)}`, { cursor, limit })
    },
    async inUse({ tenant, integration, endUserId }, accountId) {
      const own = sql`${matching({ tenant, integration, end_user_id: endUserId })} and status <> 'disconnected'`
      const { count } = await one(run, Count, sql`select count(*) as count from connections where ${own}`)
      if (count === 0 || accountId === undefined) return { count, ofAccount: [] }
      const ofAccount = sql`
        select ${connectionColumns} from connections where ${own} and account_id = ${accountId} order by id desc limit 100`
      return { count, ofAccount: await rows(db, ConnectionRow, ofAccount) }
    },
    async rememberScopes(id, values) {
      await execute(
        db,
        sql`update connections set config = config || ${JSON.stringify(values)}::jsonb where id = ${id}`,
      )
    },
    rename: (id, change, audit) =>
      row(
        db,
        ConnectionRow,
        sql`
          with renamed as (
            update connections set ${changed('alias', change.alias)}, ${changed('labels', json(change.labels))},
              updated_at = now()
            where id = ${id} and status <> 'disconnected'
            returning *
          ), ${noted(audit, 'renamed')}
          select ${connectionColumns} from renamed as connections`,
      ).catch(rethrowAliasTaken),
    withAlias: ({ tenant, integration, endUserId }, alias) =>
      row(
        db,
        ConnectionRow,
        sql`
          select ${connectionColumns} from connections
          where ${matching({ tenant, end_user_id: endUserId, integration, alias })} and status <> 'disconnected'`,
      ),
    async pinAccount({ id, grantVersion }, account, audit) {
      const pinned = await execute(
        db,
        sql`
          with pinned as (
            update connections set account_id = ${account.id}, account_label = ${account.label}, updated_at = now()
            where id = ${id} and grant_version = ${grantVersion} and account_id is null and status <> 'disconnected'
            returning tenant
          ), link_account as (
            update links set account_id = ${account.id}, account_label = ${account.label}
            from pinned, stored_grants
            where stored_grants.connection_id = ${id} and slot = 'current' and links.id = stored_grants.link_id
          ), ${noted(audit, 'pinned')}
          select from pinned`,
      )
      return pinned > 0
    },
    async endUser({ id, endUserId }) {
      const { endUser } = await one(db, EndUserRow, sql`select ${firstEndUser(sql`${id}`)} as "endUser"`)
      return endUser ?? { id: endUserId }
    },
  }
}

const json = (labels: Labels | null | undefined) => labels && JSON.stringify(labels)

/** Undefined keeps the value. */
const changed = (column: 'alias' | 'labels', value: string | null | undefined): Sql =>
  value === undefined
    ? sql`${sql.identifier(column)} = connections.${sql.identifier(column)}`
    : sql`${sql.identifier(column)} = ${value}`

const connectionsPage = (db: Queryable, wanted: Sql, page: Cursor) =>
  newestPage(db, ConnectionRow, sql`select ${connectionColumns} from connections where ${wanted}`, page)

const EndUserRow = z.object({ endUser: maybe(EndUserColumn) })

/** A connection only has the user's ID. Its link has the name and the email address. */
export const firstEndUser = (connectionId: Sql): Sql => sql`(
  select end_user from links where links.connection_id = ${connectionId} order by links.id limit 1)`

/** A statement that waited for the row sees the new row, but links and tasks of its old snapshot. */
export const mayLock = (holder: string): Sql => sql`status <> 'disconnected' and (
  locked_by is null or locked_by = ${holder} or (${wasLockedBefore} and not (${isLockLive}))
)`

const wasLockedBefore = sql`locked_by = (select before.locked_by from connections before where before.id = connections.id)`

const isLockLive = sql`
  exists (select from links where links.id = locked_by and state = any(${lockingStates}::text[]))
  or exists (select from connection_tasks where connection_tasks.id = locked_by and due_at is not null)
  or coalesce(locked_until > now(), false)`
