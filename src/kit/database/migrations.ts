import { createHash } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { StartError } from '../process/start-error.ts'
import { execute, rows, sql } from './sql.ts'

/** One step of the schema. A landed step is never edited: the next change is a new step. */
export type Migration = { name: string; sql: string }

/** A step of several parts is applied as one: all of it or nothing. */
export const migration = (name: string, ...parts: string[]): Migration => ({ name, sql: parts.join('\n') })

/** Of the text that runs, so that neither the build nor a comment beside it changes it. */
export const stepDigest = ({ sql }: Migration): string => createHash('sha256').update(sql).digest('hex')

/**
 * Applies what is missing, each step in its own transaction with its entry in the ledger, and returns their names.
 * The advisory lock lets many processes start at once; the key is any number all of them share.
 * Where nothing is missing, reading is all that happens: a role without the right to create tables can start.
 */
export async function migrate(pool: pg.Pool, migrations: readonly Migration[]): Promise<string[]> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('set statement_timeout = 0')
    await client.query(patiently('select pg_advisory_lock(20260415)'))
    const applied = await readLedger(client)
    assertUnchanged(applied, migrations)
    const missing = migrations.filter((step) => !applied.has(step.name))
    await applyAll(client, missing)
    return missing.map(({ name }) => name)
  } finally {
    await client.query('select pg_advisory_unlock_all(); reset statement_timeout').catch((error: Error) => {
      broken = error // the server lets the lock go with the connection
    })
    client.release(broken)
  }
}

/** A request gives up after seconds; a step over a large table, or the wait for another process that does it, must not. */
const patiently = (text: string) => ({ text, query_timeout: 86_400_000 }) as pg.QueryConfig

/** Names of landed steps with their digests. */
type Ledger = ReadonlyMap<string, string>

const Landed = z.object({ name: z.string(), sha256: z.string() })

const undefinedTable = '42P01'
const undefinedColumn = '42703'
const insufficientPrivilege = '42501'

async function readLedger(client: pg.PoolClient): Promise<Ledger> {
  try {
    const landed = await rows(client, Landed, sql`select name, sha256 from migrations`)
    return new Map(landed.map(({ name, sha256 }) => [name, sha256]))
  } catch (error) {
    if (codeOf(error) === undefinedTable) return new Map()
    if (codeOf(error) === insufficientPrivilege) {
      throw new StartError(
        'DATABASE_URL: this role may not read the tables of its database: see deploy/postgres/roles.sql',
      )
    }
    if (codeOf(error) !== undefinedColumn) throw error
    throw new StartError(
      'the database was made before the first release and cannot be carried over: start with an empty one (the demo: npm run reset)',
    )
  }
}

function assertUnchanged(applied: Ledger, migrations: readonly Migration[]): void {
  const changed = migrations.find((step) => applied.has(step.name) && applied.get(step.name) !== stepDigest(step))
  if (changed) {
    throw new StartError(
      `the migration ${changed.name} is not the one that this database was migrated with: start the release that did it, or see whether DATABASE_URL names the database of another program`,
    )
  }
  const known = new Set(migrations.map(({ name }) => name))
  const unknown = [...applied.keys()].find((name) => !known.has(name))
  if (unknown === undefined) return
  throw new StartError(
    isNewer(unknown, applied, migrations)
      ? `the database was migrated by a newer release (step ${unknown}): start that release`
      : `the migration ${unknown}, which this database has, is missing or renamed in this release: start one that has it`,
  )
}

/** A newer release has all steps of this one, and names sort in their order. */
const isNewer = (unknown: string, applied: Ledger, migrations: readonly Migration[]) =>
  migrations.every(({ name }) => applied.has(name) && name < unknown)

async function applyAll(client: pg.PoolClient, missing: Migration[]): Promise<void> {
  const [first] = missing
  if (!first) return
  try {
    await client.query(`
      create table if not exists migrations (
        name text primary key,
        sha256 text not null,
        applied_at timestamptz not null default now()
      )`)
    for (const step of missing) await apply(client, step)
  } catch (error) {
    if (codeOf(error) !== insufficientPrivilege) throw error
    throw new StartError(
      `the database lacks the migration ${first.name}, and the role in DATABASE_URL may not apply it: run the command migrate with the role that owns the database`,
    )
  }
}

async function apply(client: pg.PoolClient, step: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(patiently(step.sql))
    await execute(client, sql`insert into migrations (name, sha256) values (${step.name}, ${stepDigest(step)})`)
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}

const codeOf = (error: unknown) => (error as { code?: string }).code
