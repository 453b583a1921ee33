import type pg from 'pg'
import { StartError } from '../process/start-error.ts'

/** Steps of the schema in order. A landed step is never edited: the next change is a new step. */
export type Migration = { name: string; sql: string }

/**
 * Applies what is missing, each step in its own transaction with its entry in the list.
 * The advisory lock lets many processes start at once; the key is any number all of them share.
 */
export async function migrate(pool: pg.Pool, migrations: readonly Migration[]): Promise<void> {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('set statement_timeout = 0')
    await client.query(patiently('select pg_advisory_lock(20260415)'))
    await client.query(
      'create table if not exists migrations (name text primary key, applied_at timestamptz not null default now())',
    )
    const { rows } = await client.query<{ name: string }>('select name from migrations')
    const applied = new Set(rows.map((row) => row.name))
    refuseUnknown(applied, migrations)
    for (const migration of migrations.filter(({ name }) => !applied.has(name))) await apply(client, migration)
  } finally {
    await client.query('select pg_advisory_unlock_all(); reset statement_timeout').catch((error: Error) => {
      broken = error // the server lets the lock go with the connection
    })
    client.release(broken)
  }
}

/** A request gives up after seconds; a step over a large table, or the wait for another process that does it, must not. */
const patiently = (text: string) => ({ text, query_timeout: 86_400_000 }) as pg.QueryConfig

function refuseUnknown(applied: ReadonlySet<string>, migrations: readonly Migration[]) {
  const known = new Set(migrations.map(({ name }) => name))
  const newer = [...applied].find((name) => !known.has(name))
  if (newer) throw new StartError(`the database was migrated by a newer release (step ${newer}): start that release`)
}

async function apply(client: pg.PoolClient, { name, sql }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(patiently(sql))
    await client.query('insert into migrations (name) values ($1)', [name])
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  }
}
