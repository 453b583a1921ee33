// Turns rows of imports into links, a few per statement: session, link, escrow and audit entry are written atomically.
import { type Db, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { inSeconds } from '../../../adapters/postgres/statement-parts.ts'
import { maxStalled, maxUnderWay } from '../../../domain/imports/import.ts'
import { type Link, LinkRow, type LinkState } from '../../../domain/link.ts'
import type { ImportedEntry } from '../../../domain/ports/provisioning.ts'
import { linkColumns } from './rows.ts'

export const openImported = (
  db: Db,
  { limit }: { limit: number },
  audit: ImportedEntry,
  leaseSeconds: number,
): Promise<Link[]> =>
  rows(
    db,
    LinkRow,
    sql`
      with ${importsToServe}, ${turns(limit)}, ${rowsToStart(limit)}, ${sessions}, ${opened(leaseSeconds)}, escrowed as (
        insert into escrow (link_id, sealed, fingerprint) select link_id, sealed, fingerprint from chosen
      ), started as (
        update import_rows set state = 'started', sealed = null
        from chosen where import_rows.import_id = chosen.import_id and import_rows.key = chosen.key
      ), ${noted(audit)}
      select ${linkColumns} from opened as links`,
  )

const fewerThan = (max: number, condition: Sql): Sql => sql`
  (select count(*) from (
    select from links where import_id = imports.id and ${condition} limit ${sql.literal(max)}
  ) as found) < ${sql.literal(max)}`

const importsToServe = sql`
  served as materialized (
    select imports.id, count(*) over (partition by imports.tenant) as beside,
      row_number() over (partition by imports.tenant order by random()) as place
    from imports join tenants on tenants.id = imports.tenant and tenants.status = 'active'
    where cancelled_at is null
      and exists (select from import_rows where import_id = imports.id and state = 'waiting')
      and ${fewerThan(maxUnderWay, sql`due_at is not null`)}
      and ${fewerThan(maxStalled, sql`state = 'needs_attention'`)}
  )`

const turns = (limit: number): Sql => sql`
  turns as materialized (select id, beside from served order by place, random() limit ${limit})`

/** Tenants have equal shares, divided among their imports. Concurrent workers skip each other's rows. */
const rowsToStart = (limit: number): Sql => sql`
  chosen as materialized (
    select next.* from turns cross join lateral (
      select * from import_rows where import_id = turns.id and state = 'waiting' order by position
      limit greatest(1, ${limit}::bigint / (select count(*) from served where place = 1) / turns.beside)
      for update skip locked
    ) as next limit ${limit}
  )`

/** A link needs a session to find its user. No token has this digest, so the session cannot be opened. */
const sessions = sql`
  sessions as (
    insert into connect_sessions (id, token_digest, tenant, integration, end_user, inputs, expires_at)
    select 'ses' || substr(link_id, 4), 'import:' || link_id, tenant, integration, end_user, config, now() from chosen
  )`

const firstState: LinkState = 'escrowed'

const opened = (leaseSeconds: number): Sql => sql`
  opened as (
    insert into links (id, session_id, tenant, workspace, integration, end_user, browser, state, config, alias, labels, account_id, account_claimed,
      granted_scopes, connection_id, connection_name, function_name, import_id, due_at)
    select link_id, 'ses' || substr(link_id, 4), tenant, workspace, integration, end_user, '',
      ${sql.literal(firstState)}, config, alias, labels, account_id, account_id is not null, scopes, connection_id, connection_name, connection_name,
      import_id, ${inSeconds(leaseSeconds)} from chosen
    returning *
  )`

const noted = ({ action, actor }: ImportedEntry): Sql => sql`
  noted as (
    insert into audit (action, subject_kind, subject_id, facts, actor_kind, tenant, link, connection)
    select ${action}, 'link', link_id, jsonb_build_object('importId', import_id), ${actor.kind}, tenant, link_id,
      connection_id from chosen
  )`
