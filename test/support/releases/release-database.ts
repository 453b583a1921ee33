// A database as release 0.3.0 left it: its schema, and rows that its program wrote.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type pg from 'pg'
import { type Migration, migrate } from '../../../src/kit/database/migrations.ts'
import { openPool } from '../../../src/kit/database/pool.ts'
import { createTestDatabase } from '../processes/stores.ts'

const release = '0.3.0'

/** Migrations that the release had. They are locked, so they still make its schema. */
const stepsOfRelease = {
  onboarding: ['0001-schema'],
  platform: ['0001-schema', '0002-resource-revisions'],
}

type Program = keyof typeof stepsOfRelease

type Rows = { at: string; tables: Record<string, Array<Record<string, unknown>>> }

/** The keys with which the rows were sealed and signed. */
export const keyOfRelease = (use: 'encryption' | 'signing'): Buffer =>
  createHash('sha256').update(`release ${release}, ${use}`).digest()

/** `changes`: addresses that the rows contain, such as that of the provider. Times are moved to now. */
export async function releaseDatabase(
  program: Program,
  migrations: readonly Migration[],
  changes: Record<string, string> = {},
): Promise<{ url: string; pool: pg.Pool }> {
  const url = await createTestDatabase()
  const pool = openPool(url)
  const names = stepsOfRelease[program]
  await migrate(
    pool,
    migrations.filter(({ name }) => names.includes(name)),
  )
  const text = readFileSync(new URL(`${program}-${release}.json`, import.meta.url), 'utf8')
  const changed = Object.entries(changes).reduce((rows, [from, to]) => rows.replaceAll(from, to), text)
  await load(pool, JSON.parse(changed))
  return { url, pool }
}

async function load(pool: pg.Pool, { at, tables }: Rows): Promise<void> {
  const client = await pool.connect()
  try {
    // Without triggers and foreign keys, so that the order of the tables does not matter.
    await client.query("begin; set local session_replication_role = 'replica'")
    await client.query(`truncate ${Object.keys(tables).join()} cascade`)
    for (const [table, rows] of Object.entries(tables)) {
      const { rows: columns } = await client.query(
        `select column_name as name, data_type = 'timestamp with time zone' as "isTime" from information_schema.columns
         where table_name = $1 and is_generated = 'NEVER'`,
        [table],
      )
      const list = columns.map(({ name }) => `"${name}"`).join()
      const values = columns.map(({ name, isTime }) => (isTime ? `"${name}" + (now() - $2)` : `"${name}"`)).join()
      await client.query(
        `insert into "${table}" (${list}) overriding system value
         select ${values} from json_populate_recordset(null::"${table}", $1) where $2::timestamptz is not null`,
        [JSON.stringify(rows), at],
      )
    }
    await client.query(`do $$ declare identity record; begin
      for identity in select table_name, column_name from information_schema.columns where is_identity = 'YES' loop
        execute format('select setval(pg_get_serial_sequence(%L, %L), coalesce(max(%I), 0) + 1) from %I',
          identity.table_name, identity.column_name, identity.column_name, identity.table_name);
      end loop;
    end $$`)
    await client.query('commit')
  } finally {
    client.release()
  }
}
