import { z } from 'zod'
import { maybe, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { EndUserColumn } from '../../adapters/postgres/schema.ts'
import { type EndUser, LinkRow } from '../../domain/link.ts'
import type { PersonMatch, PersonRecord } from '../../domain/ports/support-ledger.ts'
import { isOpenSession } from '../../linking/adapters/connect-sessions.ts'
import { firstEndUser } from '../../provisioning/adapters/postgres/connections.ts'
import { ConnectionRow, connectionColumns, linkColumns } from '../../provisioning/adapters/postgres/rows.ts'

const max = { connections: 50, links: 20, openSessions: 10, sessions: 200 }

export async function findPerson(db: Queryable, tenant: string, id: string): Promise<PersonRecord | undefined> {
  const sessions = sessionsOf(tenant, id)
  const [named, connections, links, openSessions] = await Promise.all([
    row(db, NamedRow, newestNamed(sessions)),
    rows(
      db,
      ConnectionRow,
      sql`
        select ${connectionColumns} from connections
        where lower(end_user_id) collate "C" = lower(${id}) and end_user_id = ${id} and tenant = ${tenant}
        order by id desc limit ${sql.literal(max.connections)}`,
    ),
    rows(
      db,
      LinkRow,
      sql`
        select ${linkColumns} from (${sessions} order by id desc limit ${sql.literal(max.sessions)}) as sessions
        join links on links.session_id = sessions.id order by links.id desc limit ${sql.literal(max.links)}`,
    ),
    rows(db, OpenRow, sql`${sessions} and ${isOpenSession} order by id desc limit ${sql.literal(max.openSessions)}`),
  ])
  if (!named && connections.length === 0) return undefined
  return { tenant, endUser: named?.endUser ?? { id }, connections, links, openSessions }
}

/** The index ignores letter case; IDs don't. */
const sessionsOf = (tenant: Sql | string, id: Sql | string): Sql => sql`
  select id, end_user, end_user as "endUser", integration, connection_id as "connectionId", created_at as "createdAt",
    expires_at as "expiresAt"
  from connect_sessions
  where lower(end_user ->> 'id') collate "C" = lower(${id}) and end_user ->> 'id' = ${id} and tenant = ${tenant}`

/** A tenant may leave out the email address in some sessions. */
const newestNamed = (sessions: Sql): Sql => sql`
  select * from (${sessions} order by id desc limit 20) as newest order by end_user ? 'email' desc, id desc limit 1`

const NamedRow = z.object({ endUser: EndUserColumn })

const OpenRow = z.object({
  id: z.string(),
  integration: maybe(z.string()),
  connectionId: maybe(z.string()),
  createdAt: z.date(),
  expiresAt: z.date(),
})

export async function endUsersOf(
  db: Queryable,
  connectionIds: readonly string[],
): Promise<ReadonlyMap<string, EndUser>> {
  if (connectionIds.length === 0) return new Map()
  const users = sql`
    select given.id, ${firstEndUser(sql`given.id`)} as "endUser" from unnest(${connectionIds}::text[]) as given (id)`
  const found = await rows(db, UserRow, users)
  return new Map(found.flatMap(({ id, endUser }) => (endUser ? [[id, endUser] as const] : [])))
}

export async function tenantNamesOf(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const names = sql`select id, display_name as name from tenants where id = any(${ids}::text[])`
  return new Map((await rows(db, TenantNameRow, names)).map(({ id, name }) => [id, name]))
}

const TenantNameRow = z.object({ id: z.string(), name: z.string() })

/** `found` selects tenant, id and whether the match is exact. Broken connections come first. */
export const describePeople = (db: Queryable, found: Sql, limit: number): Promise<PersonMatch[]> =>
  rows(
    db,
    MatchRow,
    sql`
      with found as (${found}),
      people as (
        select tenant, id, bool_or(exact) as exact from found group by tenant, id
        order by exact desc, id limit ${sql.literal(2 * limit)}
      )
      select people.tenant, people.exact as "isExact", counted.connections, counted.broken,
        coalesce(named.end_user, jsonb_build_object('id', people.id)) as "endUser"
      from people
      left join lateral (${newestNamed(sessionsOf(sql`people.tenant`, sql`people.id`))}) as named on true
      cross join lateral (
        select count(*) filter (where status <> 'disconnected') as connections,
          count(*) filter (where status = 'needs_relink') as broken
        from connections
        where lower(end_user_id) collate "C" = lower(people.id) and end_user_id = people.id and tenant = people.tenant
      ) as counted
      order by people.exact desc, counted.broken desc, people.id limit ${sql.literal(limit)}`,
  )

const MatchRow = z.object({
  tenant: z.string(),
  isExact: z.boolean(),
  connections: z.number(),
  broken: z.number(),
  endUser: EndUserColumn,
})

const UserRow = z.object({ id: z.string(), endUser: maybe(EndUserColumn) })
