import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Migration, migrate } from '../../src/kit/database/migrations.ts'
import { openPool } from '../../src/kit/database/pool.ts'
import { StartError } from '../../src/kit/process/start-error.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

const first = { name: '0001-things', sql: 'create table things (id integer)' }
const more = { name: '0003-more', sql: 'create table more (id integer)' }
const second = { name: '0002-names', sql: 'alter table things add name text' }

async function emptyDatabase() {
  const pool = openPool(await createTestDatabase())
  onTestFinished(() => pool.end())
  return pool
}

test('a step may take longer than a request may, and so may the wait for another process that takes it', async () => {
  const url = await createTestDatabase()
  const pools = [openPool(url, { statementTimeoutMs: 1_000 }), openPool(url, { statementTimeoutMs: 1_000 })] as const
  const steps = [{ name: 'long', sql: 'create table things (id integer); select pg_sleep(2.5)' }]

  await Promise.all(pools.map((pool) => migrate(pool, steps)))
  const { rows } = await pools[0].query('select name from migrations')
  const { rows: limits } = await pools[0].query('show statement_timeout')

  expect(rows).toEqual([{ name: 'long' }])
  expect(limits).toEqual([{ statement_timeout: '1s' }]) // the connection is an ordinary one again
  await Promise.all(pools.map((pool) => pool.end()))
})

test('the ledger has the digest of each step, and a new step is applied to what is there', async () => {
  const pool = await emptyDatabase()

  await migrate(pool, [first])
  await migrate(pool, [first, second])

  const { rows } = await pool.query('select name, sha256 from migrations order by name')
  expect(rows).toEqual([
    { name: '0001-things', sha256: '5870e8b65398a144c5202d0b8b825e11578e78dd411557b4c1c732290d59c31b' },
    { name: '0002-names', sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ])
})

test.each<[string, Migration[], string]>([
  ['was changed', [{ ...first, sql: `${first.sql};` }, second, more], 'the migration 0001-things is not the one'],
  [
    'was renamed',
    [{ ...first, name: '0001-objects' }, second, more],
    'the migration 0001-things, which this database has',
  ],
  ['is missing', [second, more], 'the migration 0001-things, which this database has'],
  ['was the last and is renamed', [first, { ...second, name: '0002-a' }, more], 'the migration 0002-names, which'],
  ['is of a newer release', [first], 'migrated by a newer release (step 0002-names)'],
])('a landed step that %s is refused in one line, and nothing is applied', async (_how, steps, sentence) => {
  const pool = await emptyDatabase()
  await migrate(pool, [first, second])

  const refusal = await migrate(pool, steps).catch((error) => error)

  expect(refusal).toBeInstanceOf(StartError)
  expect(refusal.message).toContain(sentence)
  expect(refusal.message).not.toContain('\n')
  const { rows } = await pool.query(`select to_regclass('more') as more`)
  expect(rows).toEqual([{ more: null }])
})

test('a database from before the first release is told what to do', async () => {
  const pool = await emptyDatabase()
  await pool.query(`create table migrations (name text primary key, applied_at timestamptz not null default now());
    insert into migrations (name) values ('0001-ledger'), ('0002-webhooks')`)

  const refusal = await migrate(pool, [first]).catch((error) => error)

  expect(refusal).toBeInstanceOf(StartError)
  expect(refusal.lines).toBe(
    'the database was made before the first release and cannot be carried over: start with an empty one (the demo: npm run reset)',
  )
})

test('a role that may only read and write starts on a migrated database, and is told who has to migrate any other', async () => {
  const owner = await emptyDatabase()
  const role = `runtime_${randomBytes(6).toString('hex')}`
  await owner.query(`create role ${role} login password 'runtime';
    revoke create on schema public from public;
    alter default privileges in schema public grant select, insert, update, delete on tables to ${role}`)
  const runtime = openPool(asRole(owner, role))
  onTestFinished(() => runtime.end())

  const before = await migrate(runtime, [first]).catch((error) => error)
  const applied = await migrate(owner, [first])
  const nothing = await migrate(runtime, [first])
  const behind = await migrate(runtime, [first, second]).catch((error) => error)

  expect(before.lines).toMatch(/^the database lacks the migration 0001-things, and the role .* may not apply it: run/)
  expect([applied, nothing]).toEqual([['0001-things'], []])
  expect(behind.lines).toMatch(/^the database lacks the migration 0002-names/)
})

function asRole(pool: pg.Pool, role: string): string {
  const url = new URL(String(pool.options.connectionString))
  return Object.assign(url, { username: role, password: 'runtime' }).href
}
