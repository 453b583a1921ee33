import { afterAll, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { openPool } from '../../src/kit/database/pool.ts'
import { backoffInterval, claimDue } from '../../src/kit/database/queue.ts'
import { type Queryable, rows, type Sql, sql } from '../../src/kit/database/sql.ts'
import { backoffSeconds } from '../../src/kit/process/backoff.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

const pool = openPool(await createTestDatabase())
await pool.query('create table errands (id text primary key, due_at timestamptz, kind text)')
afterAll(() => pool.end())
beforeEach(async () => {
  await pool.query(`
    delete from errands;
    insert into errands values
      ('second', now() - interval '1 minute', 'walk'), ('first', now() - interval '1 hour', 'walk'),
      ('third', now(), 'swim'), ('later', now() + interval '1 hour', 'walk'), ('done', null, 'walk')`)
})

const Id = z.object({ id: z.string() })
const take = (db: Queryable, claim: Sql) =>
  rows(db, Id, sql`update errands set due_at = null where id in (${claim}) returning id`)
const errands = { table: 'errands', key: 'id', due: 'due_at' }

test.each([
  [0, 0.5],
  [1, 1],
  [4, 8],
  [10, 60],
  [5_000, 60],
])('after %i failed attempts the next is %d seconds later, in SQL and TypeScript', async (tries, seconds) => {
  const limits = { firstSeconds: 0.5, maxSeconds: 60 }

  const wait = backoffInterval(sql`${tries}::int`, limits)
  const found = await rows(pool, z.object({ s: z.number() }), sql`select extract(epoch from ${wait})::float8 as s`)

  expect(found).toEqual([{ s: seconds }])
  expect(backoffSeconds(tries, limits)).toBe(seconds)
})

test('claims due rows only, oldest first', async () => {
  const two = await rows(pool, Id, sql`select id from (${claimDue({ ...errands, limit: 2 })}) as taken`)
  const all = await take(pool, claimDue({ ...errands, limit: 10 }))

  expect(two).toEqual([{ id: 'first' }, { id: 'second' }])
  expect(all.map(({ id }) => id).sort()).toEqual(['first', 'second', 'third'])
})

test('applies the additional condition', async () => {
  const taken = await take(pool, claimDue({ ...errands, and: sql`kind = ${'swim'}`, limit: 10 }))

  expect(taken).toEqual([{ id: 'third' }])
})

test('concurrent workers claim different rows without waiting', async () => {
  const one = await pool.connect()
  await one.query('begin')
  const firsts = await take(one, claimDue({ ...errands, limit: 1 }))

  const others = await take(pool, claimDue({ ...errands, limit: 10 }))
  await one.query('commit')
  one.release()

  expect(firsts).toEqual([{ id: 'first' }])
  expect(others.map(({ id }) => id).sort()).toEqual(['second', 'third'])
})
