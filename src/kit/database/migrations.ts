import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { z } from 'zod'
import { readVersion } from '../installed/installed-root.ts'
import { ignoreError } from '../process/ignore-error.ts'
import { StartError } from '../process/start-error.ts'
import { isTransactionPool } from './pooler.ts'
import { execute, one, row, rows, sql } from './sql.ts'

/** Never edit a released step; add a new one. */
export type Migration = {
  name: string
  sql: string
  /** The oldest release that works on the changed schema: see CONTRIBUTING.md, Migrations. */
  readableFrom: string
  /** The index that `sql` creates concurrently. Such a step runs outside a transaction. */
  index?: string
}

/** All parts are applied in one transaction. */
export const migration = (name: string, readableFrom: string, ...parts: string[]): Migration => ({
  name,
  readableFrom,
  sql: parts.join('\n'),
})

/** `created` begins with the name of the index. */
export const indexStep = (
  name: string,
  created: `${string} on ${string}`,
  { isUnique = false }: { isUnique?: boolean } = {},
): Migration => ({
  name,
  readableFrom: '0.3.0',
  sql: `create ${isUnique ? 'unique ' : ''}index concurrently ${created}`,
  index: created.slice(0, created.indexOf(' ')),
})

export const stepDigest = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex')

export type MigrationOptions = {
  /** The release of this process. */
  release?: string
  /** Receives a sentence for the operator. */
  onWait?(sentence: string): void
  /** Requests queue behind a step that waits for a lock, so it gives up before they fail, and is retried. */
  lockTimeoutMs?: number
  giveUpMs?: number
}

/** Returns the applied steps. Only reads if none is missing, so a role that may not create tables can start. */
export async function migrate(
  pool: pg.Pool,
  migrations: readonly Migration[],
  { release = readVersion(), onWait = () => {}, lockTimeoutMs = 2_000, giveUpMs = 600_000 }: MigrationOptions = {},
): Promise<string[]> {
  const migrating = { pool, migrations, release, onWait, lockTimeoutMs, giveUpMs }
  const client = await pool.connect()
  let isMigrating = false
  try {
    const [lacking] = await findMissing(client, migrating)
    if (!lacking) return []
    if (isTransactionPool(pool)) {
      throw new StartError(
        `the database lacks the migration ${lacking.name}: run migrate with the address of PostgreSQL itself, because a pooler in transaction mode (DATABASE_POOLER) cannot hold its lock`,
      )
    }
    isMigrating = true
    await client.query('set statement_timeout = 0')
    await lockLedger(client, onWait)
    const missing = await findMissing(client, migrating)
    await applyAll({ ...migrating, client }, missing)
    return missing.map(({ name }) => name)
  } finally {
    if (isMigrating) await client.query('select pg_advisory_unlock_all()').catch(ignoreError('closing it unlocks too'))
    client.release(isMigrating) // closed, because its settings have changed
  }
}

type Migrating = Required<MigrationOptions> & { pool: pg.Pool; client: pg.PoolClient }

/** Steps over large tables may take hours. */
const patiently = (text: string) => ({ text, query_timeout: 86_400_000 }) as pg.QueryConfig

const Locked = z.object({ locked: z.boolean() })

/** Polls: a session that waits in `pg_advisory_lock` has a snapshot, for which `create index concurrently` waits. */
async function lockLedger(client: pg.PoolClient, onWait: Required<MigrationOptions>['onWait']): Promise<void> {
  for (let tries = 1; ; tries++) {
    const { locked } = await one(client, Locked, sql`select pg_try_advisory_lock(20260415) as locked`)
    if (locked) return
    if (tries === 10) onWait('another process is migrating this database: waiting for it')
    await pause(100)
  }
}

type Known = { migrations: readonly Migration[]; release: string }

async function findMissing(client: pg.PoolClient, { migrations, release }: Known): Promise<Migration[]> {
  const applied = await readLedger(client)
  assertUnchanged(applied, migrations)
  assertReadable(applied, { migrations, release })
  return migrations.filter((step) => !applied.has(step.name))
}

const Landed = z.object({ name: z.string(), sha256: z.string(), readableFrom: z.string() })

type Ledger = ReadonlyMap<string, z.infer<typeof Landed>>

const undefinedTable = '42P01'
const undefinedColumn = '42703'
const insufficientPrivilege = '42501'
const lockNotAvailable = '55P03'
const deadlockDetected = '40P01'

async function readLedger(client: pg.PoolClient): Promise<Ledger> {
  try {
    const landed = await rows(
      client,
      Landed,
      sql`select name, sha256, readable_from as "readableFrom" from migrations order by name`,
    )
    return new Map(landed.map((step) => [step.name, step]))
  } catch (error) {
    if (codeOf(error) === undefinedTable) return new Map()
    if (codeOf(error) === insufficientPrivilege) {
      throw new StartError(
        'DATABASE_URL: this role may not read the tables of its database: see deploy/postgres/roles.sql',
      )
    }
    if (codeOf(error) !== undefinedColumn) throw error
    throw new StartError(
      'the database was made before release 0.3.0 and cannot be migrated: start with an empty one (the demo: npm run reset)',
    )
  }
}

function assertUnchanged(applied: Ledger, migrations: readonly Migration[]): void {
  const changed = migrations.find((step) => {
    const landed = applied.get(step.name)
    return landed && landed.sha256 !== stepDigest(step)
  })
  if (changed) {
    throw new StartError(
      `the migration ${changed.name} differs from the one applied to this database: start the release that applied it, or check whether DATABASE_URL names the database of another program`,
    )
  }
}

/** Newer steps are fine if each of them can be read by this release. */
function assertReadable(applied: Ledger, { migrations, release }: Known): void {
  const known = new Set(migrations.map(({ name }) => name))
  for (const { name, readableFrom } of applied.values()) {
    if (known.has(name)) continue
    if (!isNewer(name, applied, migrations)) {
      throw new StartError(
        `the migration ${name} of this database is missing or renamed in this release: start a release that has it`,
      )
    }
    if (compareReleases(release, readableFrom) < 0) {
      throw new StartError(
        `the database was migrated by a newer release (step ${name}) and needs ${readableFrom} or newer: this is ${release}`,
      )
    }
  }
}

/** A pre-release such as `0.4.0-dev` precedes its release. */
export function compareReleases(one: string, other: string): number {
  const [oneNumber = '', onePre] = one.split('-')
  const [otherNumber = '', otherPre] = other.split('-')
  const byNumber = oneNumber.localeCompare(otherNumber, 'en', { numeric: true })
  return byNumber || Number(otherPre !== undefined) - Number(onePre !== undefined)
}

/** A newer release has all steps of this one. Names sort in order of release. */
const isNewer = (unknown: string, applied: Ledger, migrations: readonly Migration[]) =>
  migrations.every(({ name }) => applied.has(name) && name < unknown)

async function applyAll(migrating: Migrating, missing: Migration[]): Promise<void> {
  const [first] = missing
  if (!first) return
  try {
    await migrating.client.query(`
      create table if not exists migrations (
        name text primary key,
        sha256 text not null,
        readable_from text not null,
        applied_at timestamptz not null default now()
      )`)
    for (const step of missing) await applyWithRetries(migrating, step)
  } catch (error) {
    if (codeOf(error) !== insufficientPrivilege) throw error
    throw new StartError(
      `the database lacks the migration ${first.name}, and the role in DATABASE_URL may not apply it: run the command migrate with the role that owns the database`,
    )
  }
}

async function applyWithRetries(migrating: Migrating, step: Migration): Promise<void> {
  const { client, onWait, lockTimeoutMs, giveUpMs } = migrating
  const deadline = Date.now() + giveUpMs
  let waiting = `the migration ${step.name} waits for a lock`
  for (let pauseMs = lockTimeoutMs / 2; ; pauseMs = Math.min(pauseMs * 2, 15_000)) {
    const stopWatching = await watchBlockers(migrating, (blockers) => {
      waiting = `the migration ${step.name} waits for a lock of ${blockers}`
      onWait(waiting)
    })
    try {
      return await (step.index ? createIndex(client, step, step.index) : apply(client, step, lockTimeoutMs))
    } catch (error) {
      if (![lockNotAvailable, deadlockDetected].includes(codeOf(error) ?? '')) throw error
      if (Date.now() > deadline) throw new StartError(`${waiting}: end that transaction, then migrate again`)
    } finally {
      stopWatching()
    }
    await pause(pauseMs) // requests that queued behind the step are served
  }
}

async function apply(client: pg.PoolClient, step: Migration, lockTimeoutMs: number): Promise<void> {
  await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`)
  try {
    await client.query(patiently(step.sql))
    await record(client, step)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

const Validity = z.object({ isValid: z.boolean() })

/** No lock timeout: reads and writes continue while it waits. An attempt that was cut off leaves an invalid index. */
async function createIndex(client: pg.PoolClient, step: Migration, index: string): Promise<void> {
  const found = await row(
    client,
    Validity,
    sql`select indisvalid as "isValid" from pg_index where indexrelid = to_regclass(${index})`,
  )
  if (found?.isValid === false) await client.query(patiently(`drop index concurrently ${index}`))
  if (!found?.isValid) await client.query(patiently(step.sql))
  await record(client, step)
}

const record = (client: pg.PoolClient, step: Migration) =>
  execute(
    client,
    sql`insert into migrations (name, sha256, readable_from)
      values (${step.name}, ${stepDigest(step)}, ${step.readableFrom})`,
  )

const Blocker = z.object({
  pid: z.number(),
  name: z.string().nullable(),
  state: z.string().nullable(),
  seconds: z.number().nullable(),
})

/** Statements of other sessions may contain secrets, so they are not read. */
async function watchBlockers({ pool, client, lockTimeoutMs }: Migrating, onFound: (blockers: string) => void) {
  const backend = await one(client, z.object({ pid: z.number() }), sql`select pg_backend_pid() as pid`)
  const look = async () => {
    const observer = new pg.Client(pool.options) // the pool may have only the connection that waits
    observer.on('error', ignoreError('its query fails'))
    try {
      await observer.connect()
      const blockers = await rows(observer, Blocker, blockersOf(backend.pid))
      if (blockers.length > 0) onFound(blockers.map(describeBlocker).join(' and '))
    } finally {
      await observer.end()
    }
  }
  const timer = setTimeout(() => look().catch(ignoreError('the step is retried all the same')), lockTimeoutMs / 2)
  return () => clearTimeout(timer)
}

const blockersOf = (pid: number) => sql`
  select pid, application_name as name, state,
    extract(epoch from clock_timestamp() - xact_start)::integer as seconds
  from pg_stat_activity where pid = any(pg_blocking_pids(${pid}))`

/** PostgreSQL hides state and age of other roles, unless this one has `pg_read_all_stats`. */
function describeBlocker({ pid, name, state, seconds }: z.infer<typeof Blocker>): string {
  const age = seconds === null ? '' : `in a transaction for ${seconds} s`
  const known = [name && `application_name ${name}`, state, age].filter(Boolean)
  return known.length > 0 ? `process ${pid} (${known.join(', ')})` : `process ${pid}`
}

const codeOf = (error: unknown) => (error as { code?: string }).code
