import type pg from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { backoffInterval, claimDue } from '../../src/kit/database/queue.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

let pool: pg.Pool

beforeAll(async () => {
  pool = openPool(await createTestDatabase())
  await pool.query('create table errands (id text primary key, due_at timestamptz, kind text)')
})
afterAll(() => pool.end())
beforeEach(async () => {
  await pool.query(`
    delete from errands;
    insert into errands values
      ('second', now() - interval '1 minute', 'walk'), ('first', now() - interval '1 hour', 'walk'),
      ('third', now(), 'swim'), ('later', now() + interval '1 hour', 'walk'), ('done', null, 'walk')`)
})

const ids = (claim: string) => `update errands set due_at = null where id in (${claim}) returning id`
const errands = { table: 'errands', key: 'id', due: 'due_at' }

test.each([
  [0, 0.5],
  [1, 1],
  [4, 8],
  [10, 60],
  [5_000, 60],
])('after %i failed tries the next is %d seconds later', async (tries, seconds) => {
  const limits = { firstSeconds: 0.5, longestSeconds: 60 }

  const { rows } = await pool.query(`select extract(epoch from ${backoffInterval('$1::int', limits)})::float8 as s`, [
    tries,
  ])

  expect(rows).toEqual([{ s: seconds }])
})

test('what is due is taken, the longest due first, and nothing before its time', async () => {
  const { rows: two } = await pool.query(`select id from (${claimDue({ ...errands, limit: 2 })}) as taken`)
  const { rows: all } = await pool.query(ids(claimDue({ ...errands, limit: '$1' })), [10])

  expect(two).toEqual([{ id: 'first' }, { id: 'second' }])
  expect(all.map(({ id }) => id).sort()).toEqual(['first', 'second', 'third'])
})

test('a further condition holds', async () => {
  const { rows } = await pool.query(ids(claimDue({ ...errands, and: `kind = 'swim'`, limit: 10 })))

  expect(rows).toEqual([{ id: 'third' }])
})

test('two who look at the same moment take different rows, and neither waits', async () => {
  const one = await pool.connect()
  await one.query('begin')
  const { rows: firsts } = await one.query(ids(claimDue({ ...errands, limit: 1 })))

  const { rows: others } = await pool.query(ids(claimDue({ ...errands, limit: 10 })))
  await one.query('commit')
  one.release()

  expect(firsts).toEqual([{ id: 'first' }])
  expect(others.map(({ id }) => id).sort()).toEqual(['second', 'third'])
})
