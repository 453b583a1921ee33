import { z } from 'zod'
import { type Queryable, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import type { ConnectionStatus } from '../../domain/connection.ts'
import { type Link, LinkRow } from '../../domain/link.ts'
import {
  anyAudit,
  type ConnectionMatch,
  type PersonMatch,
  type SearchResults,
  type TenantMatch,
} from '../../domain/ports/support-ledger.ts'
import { ConnectionRow, connectionColumns, linkColumns } from '../../provisioning/adapters/postgres/rows.ts'
import { auditLines } from './support-audit.ts'
import { describePeople } from './support-people.ts'

type Search = { db: Queryable; text: string; limit: number }

/** Searches by ID, or by the prefix of a name, an email address or an account. */
export async function searchLedger(db: Queryable, given: string, limit: number): Promise<SearchResults> {
  const text = given.trim().toLowerCase()
  if (text === '') return { people: [], connections: [], links: [], tenants: [], record: [] }
  const search = { db, text, limit }
  // Request IDs are case-sensitive.
  if (given.trim().startsWith('req_')) return byRequest({ ...search, text: given.trim() })
  const found = [findPeople(search), findConnections(search), findLinks(search), findTenants(search)] as const
  const [people, connections, links, tenants] = await Promise.all(found)
  return { people, connections, links, tenants, record: [] }
}

const maxPeople = 6

function findPeople({ db, text, limit }: Search): Promise<PersonMatch[]> {
  const max = sql.literal(4 * limit)
  const found = sql`
    (select tenant, end_user ->> 'id' as id, lower(end_user ->> 'email') = ${text} as exact
      from (${sessionsByEmail(text)}) as sessions)
    union
    (select tenant, end_user ->> 'id', lower(end_user ->> 'id') = ${text} from (${sessionsByUser(text)}) as sessions)
    union
    (select tenant, end_user_id, lower(end_user_id) = ${text} from connections
      where ${begins(sql`lower(end_user_id) collate "C"`, text)}
      order by lower(end_user_id) collate "C", id desc limit ${max})
    union
    (select tenant, end_user_id, lower(account_label) = ${text} from connections
      where account_label is not null and ${begins(sql`lower(account_label) collate "C"`, text)}
      order by lower(account_label) collate "C" limit ${max})`
  return describePeople(db, found, maxPeople)
}

function findConnections({ db, text, limit }: Search): Promise<ConnectionMatch[]> {
  const max = sql.literal(limit)
  const matches = sql`
    with found as (
      (select id, 'id' as matched_by, 1 as position from connections where id = ${text})
      union all
      (select id, 'name', 2 from connections where ${begins(sql`name collate "C"`, text.replaceAll(' ', '-'))} order by name collate "C" limit ${max})
      union all
      (select id, 'account', 3 from connections where account_label is not null
        and ${begins(sql`lower(account_label) collate "C"`, text)} order by lower(account_label) collate "C" limit ${max})
      union all
      (select id, 'account', 3 from connections where account_id is not null
        and ${begins(sql`lower(account_id) collate "C"`, text)} order by lower(account_id) collate "C" limit ${max})
      union all
      (select id, 'user', 4 from connections where ${begins(sql`lower(end_user_id) collate "C"`, text)}
        order by lower(end_user_id) collate "C", id desc limit ${max})
      union all
      (select connections.id, 'user', 4 from (${sessionsByEmail(text)}) as sessions
        join links on links.session_id = sessions.id join connections on connections.id = links.connection_id
        order by connections.id desc limit ${max})
      union all
      (select id, 'tenant', 5 from connections where tenant = ${text} order by id desc limit ${max})
      union all
      (select id, 'tenant', 6 from connections where ${begins(sql`tenant`, text)} order by tenant desc, id desc limit ${max})
      union all
      (select id, 'workspace', 7 from connections where ${begins(sql`lower(workspace) collate "C"`, text)}
        order by lower(workspace) collate "C", id desc limit ${max})
    ), first as (select distinct on (id) id, matched_by, position from found order by id, position)
    select ${connectionColumns}, first.matched_by as "matchedBy" from first join connections on connections.id = first.id
    order by first.position > 1, array_position(${urgency}::text[], connections.status), first.position,
      connections.id desc limit ${max}`
  return rows(db, MatchRow, matches)
}

/** After the connection with this ID. */
const urgency: readonly ConnectionStatus[] = ['needs_relink', 'active', 'not_linked', 'disconnected']

const MatchRow = ConnectionRow.extend({
  matchedBy: z.enum(['name', 'account', 'user', 'workspace', 'tenant', 'id']),
}).transform(({ matchedBy, ...connection }): ConnectionMatch => ({ connection, matchedBy }))

/** Only links without a connection; the others are found by their connection. */
function findLinks({ db, text, limit }: Search): Promise<Link[]> {
  const max = sql.literal(limit)
  const links = sql`
    select ${linkColumns} from (
      (select id from links where id = ${text} or session_id = ${text})
      ${traceForm.test(text) ? byTrace(text) : sql``}
      union
      (select links.id from ((${sessionsByEmail(text)}) union all (${sessionsByUser(text)})) as sessions
        join links on links.session_id = sessions.id
        where links.state <> 'linked' order by links.id desc limit ${max})
    ) as found join links on links.id = found.id order by links.id desc limit ${max}`
  return rows(db, LinkRow, links)
}

/** W3C Trace Context. */
const traceForm = /^[0-9a-f]{32}$/

/** Must match the predicate of the index `links_by_trace`, which only has sampled traces. */
const byTrace = (text: string): Sql => sql`
      union
      (select id from links where substr(traceparent, 4, 32) = ${text} and right(traceparent, 2) = '01' limit 5)`

function findTenants({ db, text }: Search): Promise<TenantMatch[]> {
  const tenants = sql`
    select id, display_name as "displayName", workspace from (
      (select * from tenants where ${begins(sql`id`, text)} order by id limit 5)
      union
      (select * from tenants where ${begins(sql`lower(display_name) collate "C"`, text)}
        order by lower(display_name) collate "C" limit 5)
      union
      (select * from tenants where ${begins(sql`lower(workspace) collate "C"`, text)}
        order by lower(workspace) collate "C" limit 5)
    ) as found order by id limit 5`
  return rows(db, TenantRow, tenants)
}

const TenantRow = z.object({ id: z.string(), displayName: z.string(), workspace: z.string() })

/** A rejected request has audit entries only. */
async function byRequest({ db, text, limit }: Search): Promise<SearchResults> {
  const { data: record } = await auditLines(db, { ...anyAudit, requestId: text, cursor: undefined, limit: 20 })
  const connectionIds = record.flatMap(({ connection }) => connection ?? [])
  const linkIds = record.flatMap(({ link }) => link ?? [])
  const max = sql.literal(limit)
  const [connections, links] = await Promise.all([
    rows(
      db,
      ConnectionRow,
      sql`select ${connectionColumns} from connections where id = any(${connectionIds}::text[]) limit ${max}`,
    ),
    rows(db, LinkRow, sql`select ${linkColumns} from links where id = any(${linkIds}::text[]) limit ${max}`),
  ])
  return {
    people: [],
    connections: connections.map((connection) => ({ connection, matchedBy: 'request' })),
    links,
    tenants: [],
    record,
  }
}

/** More than are shown, because many sessions have no connection. */
const maxSessions = sql.literal(200)

const sessionsByEmail = (text: string): Sql => sql`
  select id, tenant, end_user from connect_sessions where end_user ? 'email' and ${begins(sql`lower(end_user ->> 'email') collate "C"`, text)}
  order by lower(end_user ->> 'email') collate "C", id desc limit ${maxSessions}`

const sessionsByUser = (text: string): Sql => sql`
  select id, tenant, end_user from connect_sessions where ${begins(sql`lower(end_user ->> 'id') collate "C"`, text)}
  order by lower(end_user ->> 'id') collate "C", id desc limit ${maxSessions}`

/** A range instead of LIKE: it uses the index and needs no escaping. */
const begins = (column: Sql, text: string): Sql => sql`(${column} >= ${text} and ${column} < ${`${text}\u{10ffff}`})`
