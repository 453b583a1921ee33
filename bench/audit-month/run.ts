// `npm run bench:audit-month [-- --entries 100000,1000000,10000000]`: drops a month of the audit while entries are
// written, and compares it with deleting rows.
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type pg from 'pg'
import { Secret } from '../../src/kit/crypto/secret.ts'
import { migrate } from '../../src/kit/database/migrations.ts'
import { openPool } from '../../src/kit/database/pool.ts'
import { startPostgres } from '../../src/kit/embedded/postgres.ts'
import { openAuditChain } from '../../src/onboarding/adapters/postgres/audit-chain/audit-chain.ts'
import { migrations } from '../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { sealAudit } from '../../src/onboarding/flows/seal-audit.ts'
import { progress } from '../support/progress.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const { values } = parseArgs({
  options: {
    entries: { type: 'string', default: '100000,1000000,10000000' },
    tenants: { type: 'string', default: '1000' },
  },
})
const tenants = Number(values.tenants)

const looseIndexes = `
  select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
  where indrelid = 'audit'::regclass and not indisprimary`
const keyring = { primary: 'bench', keys: new Map([['bench', new Secret(randomBytes(32))]]) }
const postgres = await startPostgres({
  folder: join(temporaryFolder(), 'postgres'),
  settings: { max_wal_size: '8GB', maintenance_work_mem: '512MB' },
})

async function measure(entries: number): Promise<void> {
  const name = `month_${entries}`
  await postgres.createDatabase(name)
  const pool = openPool(postgres.url(name))
  const own = openPool(postgres.url(name), { connections: 1 })
  const { auditRetention, auditSealer } = openAuditChain(own, keyring)
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  progress(`${entries} entries of ${tenants} tenants`)
  await migrate(pool, migrations)
  await fill(pool, entries)
  await auditRetention.continueMonths()
  await pool.query(entriesOf(tenants))
  await sealAudit({ auditSealer, pause })
  const [bytes] = (await pool.query('select pg_total_relation_size($1) as size', ['audit_202601'])).rows
  const writing = writeAlong(pool)
  const { pid } = (await own.query('select pg_backend_pid() as pid')).rows[0]
  // Entries are sealed when no transaction can write an earlier one.
  for (let tried = 0; !(await isSealed(pool)); tried++) {
    if (tried === 300) throw new Error('the month is not sealed')
    await pause(1_000)
    await sealAudit({ auditSealer, pause })
  }
  const before = { own: process.cpuUsage(), server: cpuMs(pid) }
  const [dropMs, wal, dropped] = await measured(pool, () => auditRetention.forgetOld(30))
  const { user, system } = process.cpuUsage(before.own)
  const serverMs = cpuMs(pid) - before.server
  const longestMs = await writing.stop()
  await Promise.all([pool.end(), own.end()])
  if (dropped === 0) throw new Error('no month was dropped')
  process.stdout.write(
    `${entries} entries, ${Math.round(bytes.size / 1e6)} MB: dropped in ${dropMs} ms with ${Math.round((user + system) / 1e3)} ms of CPU here and ${serverMs} ms in PostgreSQL, ${wal} kB of log; longest write meanwhile ${longestMs} ms\n`,
  )
}

/** January 2026, with a block for each hundred entries of a tenant. */
async function fill(pool: pg.Pool, entries: number): Promise<void> {
  const client = await pool.connect()
  try {
    const fast = (text: string) => client.query({ text, query_timeout: 3_600_000 } as pg.QueryConfig)
    await fast('set statement_timeout = 0; set session_replication_role = replica')
    await fast("select begin_audit_month('2026-01-01')")
    await fast("select begin_audit_month('2026-01-01')")
    const { rows: indexes } = await client.query(looseIndexes)
    for (const { name } of indexes) await fast(`drop index ${name}`)
    await fast(entriesOf(entries, "'2026-01-01'::timestamptz + n * interval '0.2 s'"))
    for (const { definition } of indexes) await fast(definition.replace(' ON ONLY ', ' ON '))
    await fast(`
      insert into audit_blocks (chain, first, last, kind, ids, leaves, salts, hash, sealed_at, kid, signature, entry)
      select tenant, min(place), max(place), 'entries', array_agg(id order by id), decode(repeat('ab', 32 * count(*)::int), 'hex'),
        decode(repeat('cd', 32 * count(*)::int), 'hex'), '\\x00', now(), 'bench', '\\x00', max(id)
      from (select tenant, id, row_number() over (partition by tenant order by id) as place from audit) as placed
      group by tenant, (place - 1) / 100`)
    await fast('update audit_sealing set horizon = (select last_value from audit_id_seq)')
    const [deleteMs, wal] = await measured(pool, () =>
      fast(`delete from audit where id in (select id from audit limit ${entries / 10})`),
    )
    process.stdout.write(`a tenth of ${entries} deleted as rows in ${deleteMs} ms, ${wal} kB of log\n`)
    await fast('analyze audit, audit_blocks')
  } finally {
    client.release(true)
  }
}

const entriesOf = (count: number, at = 'now()') => `
  insert into audit (at, action, subject_kind, subject_id, actor_kind, actor_id, tenant, link, connection, request_id)
  select ${at}, 'link.linked', 'connection', 'con_' || md5(n::text), 'browser', 'b' || n % 1000, 'tenant-' || n % ${tenants},
    'lnk_' || md5((n / 4)::text), 'con_' || md5((n / 4)::text), 'req_' || md5(n::text)
  from generate_series(1, ${count}) n`

async function measured<T>(pool: pg.Pool, work: () => Promise<T>): Promise<[ms: number, walKilobytes: number, T]> {
  const position = async () => (await pool.query('select pg_current_wal_lsn() as at')).rows[0].at
  const before = await position()
  const startedAt = performance.now()
  const result = await work()
  const ms = Math.round(performance.now() - startedAt)
  const { rows } = await pool.query('select (pg_wal_lsn_diff(pg_current_wal_lsn(), $1) / 1000)::int as kilobytes', [
    before,
  ])
  return [ms, rows[0].kilobytes, result]
}

async function isSealed(pool: pg.Pool): Promise<boolean> {
  const { rows } = await pool.query(
    'select horizon >= audit_month_start(audit_month_after(202601)) - 1 as sealed from audit_sealing',
  )
  return rows[0].sealed
}

/** Of a process of the server, in steps of 10 ms. */
function cpuMs(pid: number): number {
  const [, , , , , , , , , , , user, system] = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /, '')
    .split(' ')
  return (Number(user) + Number(system)) * 10
}

function writeAlong(pool: pg.Pool) {
  let isWriting = true
  let longestMs = 0
  const written = (async () => {
    while (isWriting) {
      const startedAt = performance.now()
      await pool.query(entriesOf(1))
      longestMs = Math.max(longestMs, performance.now() - startedAt)
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  })()
  return {
    async stop(): Promise<number> {
      isWriting = false
      await written
      return Math.round(longestMs)
    },
  }
}

try {
  for (const entries of values.entries.split(',').map(Number)) await measure(entries)
} finally {
  await postgres.stop()
}
