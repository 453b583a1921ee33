// A year of a large installation in a migrated ledger: a million connections with their links and audit entries.
import type pg from 'pg'

const tenants = 10_000

/** Returns the number of links. */
export async function fillLedger(pool: pg.Pool, connections: number): Promise<number> {
  const links = Math.round(connections * 1.2)
  // The rows satisfy all foreign keys. Checking them would take longer than inserting.
  await pool.query('set session_replication_role = replica')
  const { rows: indexes } = await pool.query(looseIndexes)
  for (const { name } of indexes) await pool.query(`drop index ${name}`)
  for (const statement of rowsOf(connections, links)) await pool.query(statement)
  for (const { definition } of indexes) await pool.query(definition.replace(' ON ONLY ', ' ON '))
  await pool.query('vacuum analyze')
  return links
}

/** Indexes without a constraint. Rebuilding them at the end is faster than updating them. */
const looseIndexes = `
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
  join pg_class on pg_class.oid = indrelid join pg_namespace on pg_namespace.oid = relnamespace
  where nspname = 'public' and relname in ('connect_sessions', 'links', 'connections', 'audit')
    and not exists (select from pg_constraint where conindid = indexrelid)`

const shifts = [43, 38, 33, 28, 23, 18, 13, 8, 3]

/** IDs like those of the program: nine letters of time, then a unique part. */
const letters = shifts
  .map((shift) => `substr('0123456789abcdefghjkmnpqrstvwxyz', ((ms >> ${shift}) & 31)::int + 1, 1)`)
  .join(' || ')

/** Row n of all tables belongs together. The order of n is shuffled, so that failed links are spread over the year. */
const timesOf = (links: number) => `
  create unlogged table bench_rows as
  select n, at, ${letters} || substr(md5(n::text), 1, 16) as tail from (
    select n, at, floor(extract(epoch from at) * 1000)::bigint as ms from (
      select (place * 7919::bigint) % ${links} as n, now() - interval '365 days' * (1 - place / ${links}.0) as at
      from generate_series(0, ${links} - 1) place
    ) as placed
  ) as timed`

function rowsOf(connections: number, links: number): string[] {
  const user = `jsonb_build_object('id', 'user-' || n % 700000, 'email', 'person' || n % 700000 || '@company' || n % 20000 || '.example')`
  const integration = `(array['gmail', 'google-drive', 'slack', 'github', 'microsoft'])[1 + n % 5]`
  const name = `${integration} || '-' || substr(tail, 12, 10)`
  const tenant = `'tenant-' || n % ${tenants}`
  // Some wait for an unavailable platform. None is due during the measurement.
  const waits = `n >= ${connections} and n % 50 = 7`
  const nextTry = `case when ${waits} then now() + interval '1 day' end`
  const state = `case when n < ${connections} then 'linked' when ${waits} then 'escrowed' when n % 10 = 0 then 'needs_attention'
    when n % 10 < 4 then 'failed' when n % 10 < 7 then 'denied' else 'abandoned' end`
  const cause = `case when n < ${connections} then null when ${waits} then 'platform_unavailable' when n % 10 = 0 then 'platform_refused'
    when n % 10 < 4 then 'provider_unavailable' when n % 10 < 7 then 'consent_denied' else 'session_expired' end`
  return [
    timesOf(links),
    `insert into tenants (id, workspace, display_name, return_urls, signing_secret)
     select 'tenant-' || n, 'space-' || n, 'Customer ' || n, '{}', '' from generate_series(0, ${tenants} - 1) n`,
    `insert into connect_sessions (id, token_digest, tenant, integration, end_user, return_url, expires_at, created_at)
     select 'ses_' || tail, tail, ${tenant}, ${integration}, ${user}, 'https://a.example', at, at from bench_rows`,
    `insert into links (id, session_id, tenant, workspace, integration, end_user, return_url, browser, state, cause,
       account_id, account_label, connection_id, connection_name, function_name, function_url, attempts, next_attempt_at, due_at, created_at, updated_at)
     select 'lnk_' || tail, 'ses_' || tail, ${tenant}, 'space-' || n % ${tenants}, ${integration}, ${user},
       'https://a.example', '', ${state}, ${cause}, 'account-' || n, 'owner' || n || '@mail.example', 'con_' || tail,
       ${name}, ${name}, 'https://platform.example/f', case when ${waits} then 7 else 0 end, ${nextTry}, ${nextTry}, at, at
     from bench_rows`,
    `insert into connections (id, tenant, workspace, integration, name, function_name, function_url, account_id,
       account_label, scopes, status, cause, end_user_id, status_since, created_at, updated_at)
     select 'con_' || tail, ${tenant}, 'space-' || n % ${tenants}, ${integration}, ${name}, ${name},
       'https://platform.example/f', 'account-' || n, 'owner' || n || '@mail.example', '{files.read}',
       case when n % 100 = 0 then 'needs_relink' when n % 200 = 1 then 'disconnected' else 'active' end,
       case when n % 200 = 0 then 'grant_revoked' when n % 100 = 0 then 'client_rejected' end,
       'user-' || n % 700000, at, at, at from bench_rows where n < ${connections}`,
    `select add_audit_partition(to_char(month, 'YYYYMM')::integer)
     from generate_series(date_trunc('month', now() - interval '365 days'), now() + interval '2 months', interval '1 month') month`,
    `insert into audit (id, at, action, actor_kind, tenant, link, connection, request_id) overriding system value
     select audit_month_start(to_char(at, 'YYYYMM')::integer) + row_number() over (order by at),
       at, 'link.linked', 'browser', ${tenant}, 'lnk_' || tail, 'con_' || tail, 'req_' || substr(tail, 10, 12)
     from bench_rows`,
    `select setval('audit_id_seq', max(id)) from audit`,
    'drop table bench_rows',
  ]
}
