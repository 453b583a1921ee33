import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { ConnectionTable, LedgerSchema, LinkTable } from '../../adapters/postgres/schema.ts'
import type { Link } from '../../domain/link.ts'
import {
  anyAudit,
  type ConnectionMatch,
  type SearchResults,
  type TenantMatch,
} from '../../domain/ports/support-ledger.ts'
import { toConnection } from '../../provisioning/adapters/postgres/connections.ts'
import { toLink } from '../../provisioning/adapters/postgres/links.ts'
import { auditLines } from './support-audit.ts'

type Needs = { db: Database<LedgerSchema>; text: string; limit: number }

/** Searches by id, or by the beginning of a name, an email address or an account. */
export async function searchLedger(db: Database<LedgerSchema>, given: string, limit: number): Promise<SearchResults> {
  const text = given.trim().toLowerCase()
  if (text === '') return { connections: [], links: [], tenants: [], record: [] }
  const needs = { db, text, limit }
  // Request ids are case-sensitive.
  if (given.trim().startsWith('req_')) return byRequest({ ...needs, text: given.trim() })
  const [connections, links, tenants] = await Promise.all([
    findConnections(needs),
    findLinks(needs),
    findTenants(needs),
  ])
  return { connections, links, tenants, record: [] }
}

async function findConnections({ db, text, limit }: Needs): Promise<ConnectionMatch[]> {
  const most = sql.lit(limit)
  const { rows } = await sql<Selectable<ConnectionTable> & Pick<ConnectionMatch, 'why'>>`
    with found as (
      (select id, 'id' as why, 1 as position from connections where id = ${text})
      union all
      (select id, 'name', 2 from connections where ${begins(sql`name collate "C"`, text)} order by name collate "C" limit ${most})
      union all
      (select id, 'account', 3 from connections where account_label is not null
        and ${begins(sql`lower(account_label) collate "C"`, text)} order by lower(account_label) collate "C" limit ${most})
      union all
      (select id, 'account', 3 from connections where account_id is not null
        and ${begins(sql`lower(account_id) collate "C"`, text)} order by lower(account_id) collate "C" limit ${most})
      union all
      (select id, 'user', 4 from connections where ${begins(sql`lower(end_user_id) collate "C"`, text)}
        order by lower(end_user_id) collate "C", id desc limit ${most})
      union all
      (select connections.id, 'user', 4 from (${sessionsByEmail(text)}) as sessions
        join links on links.session_id = sessions.id join connections on connections.id = links.connection_id
        order by connections.id desc limit ${most})
      union all
      (select id, 'tenant', 5 from connections where tenant = ${text} order by id desc limit ${most})
      union all
      (select id, 'tenant', 6 from connections where ${begins(sql`tenant`, text)} order by tenant desc, id desc limit ${most})
      union all
      (select id, 'workspace', 7 from connections where ${begins(sql`lower(workspace) collate "C"`, text)}
        order by lower(workspace) collate "C", id desc limit ${most})
    ), first as (select distinct on (id) id, why, position from found order by id, position)
    select connections.*, first.why from first join connections on connections.id = first.id
    order by first.position, connections.id desc limit ${most}`.execute(db)
  return rows.map(({ why, ...row }) => ({ connection: toConnection(row), why }))
}

/** Links without a connection; for the others the connection is found. */
async function findLinks({ db, text, limit }: Needs): Promise<Link[]> {
  const most = sql.lit(limit)
  const { rows } = await sql<Selectable<LinkTable>>`
    select links.* from (
      (select id from links where id = ${text} or session_id = ${text})
      union
      (select links.id from ((${sessionsByEmail(text)}) union all (${sessionsByUser(text)})) as sessions
        join links on links.session_id = sessions.id
        where links.state <> 'linked' order by links.id desc limit ${most})
    ) as found join links on links.id = found.id order by links.id desc limit ${most}`.execute(db)
  return rows.map(toLink)
}

async function findTenants({ db, text }: Needs): Promise<TenantMatch[]> {
  const { rows } = await sql<TenantMatch>`
    select id, display_name as "displayName", workspace from (
      (select * from tenants where ${begins(sql`id`, text)} order by id limit 5)
      union
      (select * from tenants where ${begins(sql`lower(display_name) collate "C"`, text)}
        order by lower(display_name) collate "C" limit 5)
      union
      (select * from tenants where ${begins(sql`lower(workspace) collate "C"`, text)}
        order by lower(workspace) collate "C" limit 5)
    ) as found order by id limit 5`.execute(db)
  return rows
}

/** The subjects and the audit entries of a request. A refused request has entries only. */
async function byRequest({ db, text, limit }: Needs): Promise<SearchResults> {
  const { data: record } = await auditLines(db, { ...anyAudit, requestId: text, cursor: undefined, limit: 20 })
  const connectionIds = record.flatMap(({ connection }) => connection ?? [])
  const linkIds = record.flatMap(({ link }) => link ?? [])
  const [connections, links] = await Promise.all([
    sql<
      Selectable<ConnectionTable>
    >`select * from connections where id = any(${connectionIds}) limit ${sql.lit(limit)}`.execute(db),
    sql<Selectable<LinkTable>>`select * from links where id = any(${linkIds}) limit ${sql.lit(limit)}`.execute(db),
  ])
  return {
    connections: connections.rows.map((row) => ({ connection: toConnection(row), why: 'request' })),
    links: links.rows.map(toLink),
    tenants: [],
    record,
  }
}

/** More than are shown, because most sessions may have no connection; limited, because one letter matches a million. */
const mostSessions = sql.lit(200)

const sessionsByEmail = (text: string) => sql`
  select id from connect_sessions where end_user ? 'email' and ${begins(sql`lower(end_user ->> 'email') collate "C"`, text)}
  order by lower(end_user ->> 'email') collate "C", id desc limit ${mostSessions}`

const sessionsByUser = (text: string) => sql`
  select id from connect_sessions where ${begins(sql`lower(end_user ->> 'id') collate "C"`, text)}
  order by lower(end_user ->> 'id') collate "C", id desc limit ${mostSessions}`

/** A range, not a pattern: the index serves any text, and no character needs escaping. */
const begins = (column: RawBuilder<unknown>, text: string) =>
  sql<boolean>`(${column} >= ${text} and ${column} < ${`${text}\u{10ffff}`})`
