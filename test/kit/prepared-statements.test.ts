import type pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { type Prepared, preparedStatements, Statement } from '../../src/kit/database/prepared.ts'
import { createTestDatabase } from '../support/stores.ts'

let pool: pg.Pool
let run: Prepared

beforeAll(async () => {
  pool = openPool(await createTestDatabase(), { connections: 2, statementTimeoutMs: 1_000 })
  run = preparedStatements(pool)
  await pool.query('create table things (id int primary key, name text)')
})
afterAll(() => pool.end())

test('values of every kind arrive as they were given, the first time and the next', async () => {
  const statement = new Statement(
    'select $1::text as text, $2::int as number, $3::boolean as truth, $4::text[] as list, $5::text as nothing, $6::timestamptz as at',
  )
  const awkward = ['plain', 'with "quotes"', 'back\\slash', 'line\nbreak', 'comma, {brace}', '', 'NULL']
  const values = ['dé"ja\\vu', 42, false, awkward, undefined, '2026-01-02T03:04:05.678Z']
  const row = { text: 'dé"ja\\vu', number: 42, truth: false, list: awkward, nothing: null }

  for (const _time of ['first', 'next']) {
    const rows = await run(statement, values)

    expect(rows).toEqual([{ ...row, at: new Date('2026-01-02T03:04:05.678Z') }])
  }
})

test('many at a time each get their own answer', async () => {
  const statement = new Statement('select $1::int as number from generate_series(1, $2::int)')
  const counts = Array.from({ length: 40 }, (_, at) => at % 4)

  const answers = await Promise.all(counts.map((count, at) => run<{ number: number }>(statement, [at, count])))

  expect(answers).toEqual(counts.map((count, at) => Array(count).fill({ number: at })))
})

test('a statement that fails says why, and the next one works', async () => {
  const adding = new Statement('insert into things (id) values ($1) returning id')
  await run(adding, [1])

  const failed = await Promise.allSettled([run(adding, [1]), run(adding, ['one']), run(new Statement('nonsense'), [])])

  expect(failed.map((each) => (each as PromiseRejectedResult).reason.code)).toEqual(['23505', '22P02', '42601'])
  expect(await run(adding, [2])).toEqual([{ id: 2 }])
})

test('one that takes too long is given up, and the next one works', async () => {
  const sleeping = new Statement('select pg_sleep($1)')

  await expect(run(sleeping, [30])).rejects.toMatchObject({ code: '57014' })

  expect(await run(new Statement('select 1 as one'), [])).toEqual([{ one: 1 }])
})

test('a column that was added while the program ran is never taken for another one', async () => {
  const reading = new Statement('select things.*, $1::text as mark from things where id = 7')
  await pool.query(`insert into things values (7, 'seven')`)
  const before = await run(reading, ['here'])

  await pool.query('alter table things add column colour text')
  const tries = await Promise.allSettled(Array.from({ length: 8 }, () => run(reading, ['here'])))
  const after = await run(reading, ['here'])

  // Connections that knew the old shape are refused by the server and given up.
  expect(before).toEqual([{ id: 7, name: 'seven', mark: 'here' }])
  for (const each of tries) {
    if (each.status === 'rejected') expect(each.reason.code).toBe('0A000')
    else expect(each.value).toEqual([{ id: 7, name: 'seven', colour: null, mark: 'here' }])
  }
  expect(after).toEqual([{ id: 7, name: 'seven', colour: null, mark: 'here' }])
})
