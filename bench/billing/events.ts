// A private PostgreSQL with a year of usage of one account: 200 workspaces with five resources each.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { migrate } from '../../src/kit/database/migrations.ts'
import { openPool } from '../../src/kit/database/pool.ts'
import { execute, sql } from '../../src/kit/database/sql.ts'
import { startPostgres } from '../../src/kit/embedded/postgres.ts'
import { setPrices } from '../../src/platform/billing/adapters/prices.ts'
import { examplePrices } from '../../src/platform/billing/domain/prices.ts'
import { postgresApiKeys } from '../../src/platform/identity/adapters/api-keys.ts'
import { postgresTenancy } from '../../src/platform/identity/adapters/tenancy.ts'
import { bootstrap } from '../../src/platform/identity/flows/bootstrap.ts'
import { migrations } from '../../src/platform/shared/postgres/migrations.ts'
import { insertUsage } from '../../src/platform/shared/postgres/usage-events.ts'

export const workspaces = 200
export const year = { from: '2025-01-01T00:00:00Z', to: '2026-01-01T00:00:00Z' }

/** Separate weeks after the year: a resource has an event every ten hours, one per hour, or ten per hour. */
export const weeks = {
  sparse: { from: '2026-01-12T00:00:00Z', to: '2026-01-19T00:00:00Z', perHour: 0.1 },
  calm: { from: '2026-02-02T00:00:00Z', to: '2026-02-09T00:00:00Z', perHour: 1 },
  busy: { from: '2026-03-02T00:00:00Z', to: '2026-03-09T00:00:00Z', perHour: 10 },
}

export async function fillWeeks({ fill }: Pick<Awaited<ReturnType<typeof benchAccount>>, 'fill'>): Promise<void> {
  for (const [name, week] of Object.entries(weeks)) await fill(`${name}-`, workspaces * 168 * week.perHour, 1, week)
}

export async function benchAccount() {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-bench-'))
  chmodSync(folder, 0o711)
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB', work_mem: '32MB' }
  const server = await startPostgres({ folder: join(folder, 'postgres'), settings })
  await server.createDatabase('bench')
  const url = server.url('bench')
  const pool = openPool(url, { connections: 2, statementTimeoutMs: 1_800_000 })
  await migrate(pool, migrations)
  await setPrices(pool, examplePrices)
  const ports = { tenancy: postgresTenancy(pool), apiKeys: postgresApiKeys(pool) }
  const first = { account: 'bench', workspace: 'bench', email: 'bench@acme.example', keyName: 'bench' }
  const { accountId, apiKey } = await bootstrap(ports, first)
  await pool.query(
    `insert into workspaces (name, id, account_id, created_by, updated_by)
     select 'ws-' || n, 'ws-' || n, $1, 'bench', 'bench' from generate_series(0, $2::int - 1) n`,
    [accountId, workspaces],
  )

  /** Spreads events evenly over time and resources, with the program's statement. */
  const fill = async (
    prefix: string,
    events: number,
    resources: number,
    { from, to }: { from: string; to: string },
  ) => {
    for (let first = 0; first < events; first += step) {
      const last = Math.min(first + step, events) - 1
      await execute(pool, spread({ prefix, first, last, events, from, to, workspaces, resources }))
    }
  }
  /** The same, but computes sums once at the end: ten times as fast, with the row order of real arrival. */
  const fillAtOnce = async (...what: Parameters<typeof fill>) => {
    await pool.query('alter table usage_events disable trigger roll_up_usage; drop index usage_events_by_time')
    await fill(...what)
    await pool.query(sumUp)
    await pool.query(`alter table usage_events enable trigger roll_up_usage;
      create index usage_events_by_time on usage_events (account_id, counted_at)`)
  }
  return {
    url,
    pool,
    accountId,
    apiKey: apiKey.reveal(),
    fill,
    fillAtOnce,
    settle: () => pool.query('vacuum analyze'),
    async stop() {
      await pool.end()
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const step = 100_000

const columns = 'account_id, workspace, resource_type, resource_name, resource_uuid, dimension'

const sumUp = `
  set work_mem = '512MB';
  insert into usage_series (${columns}) select distinct ${columns} from usage_events;
  insert into usage_hours
    select id, date_trunc('hour', counted_at, 'UTC') as hour, sum(quantity), sum(cost)
    from usage_events join usage_series using (${columns}) group by 1, 2 order by 2, 1;
  insert into usage_days
    select series, date_trunc('day', bucket, 'UTC') as day, sum(usage), sum(cost) from usage_hours group by 1, 2 order by 2, 1;
  insert into usage_months
    select series, date_trunc('month', bucket, 'UTC') as month, sum(usage), sum(cost) from usage_days group by 1, 2 order by 2, 1;
  reset work_mem`

type Spread = {
  prefix: string
  first: number
  last: number
  events: number
  from: string
  to: string
  workspaces: number
  resources: number
}

const spread = ({ prefix, first, last, events, from, to, workspaces, resources }: Spread) =>
  insertUsage(sql`(
  select ${prefix}::text || n as event_id, 'ws-' || w as workspace, type as resource_type, type || '-' || w as resource_name,
    'ws-' || w || '-' || type as resource_uuid, dimension,
    (1 + n % 1000)::numeric / 1024 as quantity, at as started_at, at as ended_at
  from generate_series(${first}::bigint, ${last}::bigint) n
  cross join lateral (select n % ${workspaces}::int as w, (n / ${workspaces}::int) % ${resources}::int as r) place
  cross join lateral (select (array['agent', 'mcp_server', 'job', 'sandbox', 'volume'])[1 + r] as type,
    (array['agent_compute_runtime_gbs', 'mcp_server_compute_runtime_gbs', 'job_compute_runtime_gbs',
      'sandbox_compute_runtime_gbs', 'volume_storage_gbs'])[1 + r] as dimension) kind
  cross join lateral (select date_trunc('milliseconds', ${from}::timestamptz
    + (${to}::timestamptz - ${from}::timestamptz) * (n::float8 / ${events}::bigint)) as at) moment)`)
