import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { type Migration, migrate } from '../../src/kit/database/migrations.ts'
import { openPool } from '../../src/kit/database/pool.ts'
import { StartError } from '../../src/kit/process/start-error.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

const first = { name: '0001-things', readableFrom: '0.3.0', sql: 'create table things (id integer)' }
const more = { name: '0003-more', readableFrom: '0.3.0', sql: 'create table more (id integer)' }
const index = {
  name: '0002-index',
  readableFrom: '0.3.0',
  index: 'things_by_id',
  sql: 'create index concurrently things_by_id on things (id)',
}
const second = { name: '0002-names', readableFrom: '0.3.0', sql: 'alter table things add name text' }

async function emptyDatabase() {
  const pool = openPool(await createTestDatabase())
  onTestFinished(() => pool.end())
  return pool
}

test('a step, and waiting for another process, may exceed the statement timeout', async () => {
  const url = await createTestDatabase()
  const pools = [openPool(url, { statementTimeoutMs: 1_000 }), openPool(url, { statementTimeoutMs: 1_000 })] as const
  const steps = [{ name: 'long', readableFrom: '0.3.0', sql: 'create table things (id integer); select pg_sleep(2.5)' }]

  await Promise.all(pools.map((pool) => migrate(pool, steps)))
  const { rows } = await pools[0].query('select name from migrations')
  const { rows: limits } = await pools[0].query('show statement_timeout')

  expect(rows).toEqual([{ name: 'long' }])
  expect(limits).toEqual([{ statement_timeout: '1s' }]) // the connection has its settings back
  await Promise.all(pools.map((pool) => pool.end()))
})

test('a step beside an open reader lets requests pass, names the reader, and is applied when the reader ends', async () => {
  const pool = await emptyDatabase()
  await migrate(pool, [first])
  const reader = await openReader(pool, 'select count(*) from things')
  const sentences: string[] = []
  const timings = { lockTimeoutMs: 200, onWait: (sentence: string) => void sentences.push(sentence) }
  const requests = openPool(String(pool.options.connectionString), { statementTimeoutMs: 2_000 })
  onTestFinished(() => requests.end())

  const migrated = migrate(pool, [first, second], timings)
  while (sentences.length < 3) await requests.query('select count(*) from things')
  await reader.query('commit')

  expect(await migrated).toEqual(['0002-names'])
  expect(sentences[0]).toMatch(
    new RegExp(
      `^the migration 0002-names waits for a lock of process ${reader.pid} \\(application_name nightly-report, idle in transaction, in a transaction for \\d+ s\\)$`,
    ),
  )
})

test('a step that gets no lock fails with the process that holds it, and applies nothing', async () => {
  const pool = await emptyDatabase()
  await migrate(pool, [first])
  const reader = await openReader(pool, 'select count(*) from things')

  const refusal = await migrate(pool, [first, second], { giveUpMs: 0 }).catch((error) => error)

  expect(refusal).toBeInstanceOf(StartError)
  expect(refusal.message).toMatch(new RegExp(`process ${reader.pid} .*: end that transaction, then migrate again$`))
  expect((await pool.query('select name from migrations')).rows).toEqual([{ name: '0001-things' }])
})

test('a process with no pending steps starts while another one migrates', async () => {
  const pool = await emptyDatabase()
  await migrate(pool, [first])
  const lock = await openReader(pool, 'select pg_advisory_lock(20260415)')

  const applied = await migrate(pool, [first])

  expect(applied).toEqual([])
  await lock.query('commit')
})

test('an index is created while a writer is open, and two processes that migrate wait for each other', async () => {
  const pool = await emptyDatabase()
  const other = openPool(String(pool.options.connectionString))
  onTestFinished(() => other.end())
  await migrate(pool, [first])
  const writer = await openReader(pool, 'insert into things values (1)')
  const both: Array<Promise<string[]>> = []

  await new Promise<string>((onWait) => {
    both.push(migrate(pool, [first, index], { onWait }), migrate(other, [first, index], { onWait }))
  })
  await pool.query('insert into things values (2)')
  await writer.query('commit')

  expect((await Promise.all(both)).sort()).toEqual([[], ['0002-index']])
  expect(await validity(pool)).toEqual([{ indisvalid: true }])
})

test('an interrupted index creation is repeated, and a complete one is kept', async () => {
  const pool = await emptyDatabase()
  await migrate(pool, [first])
  await pool.query('insert into things values (1), (1)')
  await expect(pool.query('create unique index concurrently things_by_id on things (id)')).rejects.toThrow(
    'could not create unique index',
  )
  expect(await validity(pool)).toEqual([{ indisvalid: false }])

  await migrate(pool, [first, index])
  const { rows: created } = await pool.query(`select 'things_by_id'::regclass::oid as oid`)
  await pool.query(`delete from migrations where name = '0002-index'`)
  await migrate(pool, [first, index])

  expect(await validity(pool)).toEqual([{ indisvalid: true }])
  expect((await pool.query(`select 'things_by_id'::regclass::oid as oid`)).rows).toEqual(created)
})

const validity = async (pool: pg.Pool) =>
  (await pool.query(`select indisvalid from pg_index where indexrelid = to_regclass('things_by_id')`)).rows

/** A transaction that has run a statement and stays open. */
async function openReader(pool: pg.Pool, statement: string) {
  const { connectionString = '' } = pool.options
  const client = new pg.Client({ connectionString, application_name: 'nightly-report' })
  await client.connect()
  onTestFinished(() => client.end())
  await client.query('begin')
  await client.query(statement)
  const { rows } = await client.query('select pg_backend_pid() as pid')
  return { pid: rows[0].pid as number, query: (text: string) => client.query(text) }
}

test('records the digest of each step, and applies only new steps', async () => {
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
  ['was changed', [{ ...first, sql: `${first.sql};` }, second, more], 'the migration 0001-things differs'],
  ['was renamed', [{ ...first, name: '0001-objects' }, second, more], 'the migration 0001-things of this database'],
  ['is missing', [second, more], 'the migration 0001-things of this database'],
  [
    'was the last and is renamed',
    [first, { ...second, name: '0002-a' }, more],
    'the migration 0002-names of this database',
  ],
])('rejects a released step that %s, and applies nothing', async (_how, steps, sentence) => {
  const pool = await emptyDatabase()
  await migrate(pool, [first, second])

  const refusal = await migrate(pool, steps, { release: '0.3.0' }).catch((error) => error)

  expect(refusal).toBeInstanceOf(StartError)
  expect(refusal.message).toContain(sentence)
  expect(refusal.message).not.toContain('\n')
  const { rows } = await pool.query(`select to_regclass('more') as more`)
  expect(rows).toEqual([{ more: null }])
})

test.each([
  ['0.3.0', '0.3.0'],
  ['0.3.1', '0.3.0'],
  ['0.10.0', '0.9.0'],
  ['0.4.0-dev', '0.3.0'],
])('release %s starts on newer steps that are readable from %s', async (release, readableFrom) => {
  const pool = await emptyDatabase()
  await migrate(pool, [first, second, { ...more, readableFrom }])

  expect(await migrate(pool, [first], { release })).toEqual([])
})

test.each(['0.3.9', '0.4.0-dev'])('release %s rejects a newer step that is readable from 0.4.0', async (release) => {
  const pool = await emptyDatabase()
  await migrate(pool, [first, second, { ...more, readableFrom: '0.4.0' }])

  const refusal = await migrate(pool, [first], { release }).catch((error) => error)

  expect(refusal).toBeInstanceOf(StartError)
  expect(refusal.message).toBe(
    `the database was migrated by a newer release (step 0003-more) and needs 0.4.0 or newer: this is ${release}`,
  )
})

test('rejects a database made before release 0.3.0', async () => {
  const pool = await emptyDatabase()
  await pool.query(`create table migrations (name text primary key, applied_at timestamptz not null default now());
    insert into migrations (name) values ('0001-ledger'), ('0002-webhooks')`)

  const refusal = await migrate(pool, [first]).catch((error) => error)

  expect(refusal).toBeInstanceOf(StartError)
  expect(refusal.lines).toBe(
    'the database was made before release 0.3.0 and cannot be migrated: start with an empty one (the demo: npm run reset)',
  )
})

test('a role with only read and write permission can start on a migrated database only', async () => {
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
