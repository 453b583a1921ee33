import { readFile } from 'node:fs/promises'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { type Prepared, plainStatements, preparedStatements, Statement } from '../../src/kit/database/prepared.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

const ways = { 'in batches': preparedStatements, 'each alone': plainStatements }

describe.each(Object.entries(ways))('statements %s', (_way, open) => {
  let url: string
  let pool: pg.Pool
  let run: Prepared

  beforeAll(async () => {
    url = await createTestDatabase()
    pool = openPool(url, { connections: 2 })
    run = open(pool)
    await pool.query('create table things (id int primary key, name text)')
  })
  afterAll(() => pool.end())

  test('values of every type arrive unchanged, also when repeated', async () => {
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

  test('concurrent statements get their own rows', async () => {
    const statement = new Statement('select $1::int as number from generate_series(1, $2::int)')
    const counts = Array.from({ length: 40 }, (_, at) => at % 4)

    const answers = await Promise.all(counts.map((count, at) => run(statement, [at, count])))

    expect(answers).toEqual(counts.map((count, at) => Array(count).fill({ number: at })))
  })

  test('a failed statement reports the reason, and the next one works', async () => {
    const adding = new Statement('insert into things (id) values ($1) returning id')
    await run(adding, [1])

    const failed = await Promise.allSettled([
      run(adding, [1]),
      run(adding, ['one']),
      run(new Statement('nonsense'), []),
    ])

    expect(failed.map((each) => (each as PromiseRejectedResult).reason.code)).toEqual(['23505', '22P02', '42601'])
    expect(await run(adding, [2])).toEqual([{ id: 2 }])
  })

  test('a slow statement times out, and the next one works', async () => {
    const hurried = openPool(url, { connections: 1, statementTimeoutMs: 20_000 })
    onTestFinished(() => hurried.end())
    // Only the timeout of the server: on a busy machine ours could fire first.
    await hurried.query("set statement_timeout = '500ms'")
    const runs = open(hurried)

    await expect(runs(new Statement('select pg_sleep($1)'), [30])).rejects.toMatchObject({ code: '57014' })

    expect(await runs(new Statement('select 1 as one'), [])).toEqual([{ one: 1 }])
  })

  test('a column added at run time is not confused with another', async () => {
    const reading = new Statement('select things.*, $1::text as mark from things where id = 7')
    await pool.query(`insert into things values (7, 'seven')`)
    const before = await run(reading, ['here'])

    await pool.query('alter table things add column colour text')
    const tries = await Promise.allSettled(Array.from({ length: 8 }, () => run(reading, ['here'])))
    const after = await run(reading, ['here'])

    // The server rejects connections that know the old columns.
    expect(before).toEqual([{ id: 7, name: 'seven', mark: 'here' }])
    for (const each of tries) {
      if (each.status === 'rejected') expect(each.reason.code).toBe('0A000')
      else expect(each.value).toEqual([{ id: 7, name: 'seven', colour: null, mark: 'here' }])
    }
    expect(after).toEqual([{ id: 7, name: 'seven', colour: null, mark: 'here' }])
  })

  test('a failed statement does not fail the others of its batch', async () => {
    const adding = new Statement('insert into things (id, name) values ($1, $2) returning id')
    await run(adding, [103, 'was here before'])

    const outcomes = await Promise.allSettled([101, 102, 103, 104, 105].map((id) => run(adding, [id, 'together'])))

    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
    ])
    const { rows } = await pool.query('select id, name from things where id between 101 and 105 order by id')
    expect(rows.map(({ id, name }) => `${id} ${name}`)).toEqual([
      '101 together',
      '102 together',
      '103 was here before',
      '104 together',
      '105 together',
    ])
  })

  test('reads succeed although a write in the same batch fails', async () => {
    await pool.query(`create or replace function refuse() returns int language plpgsql as
      $$ begin raise exception using errcode = 'XX000', message = 'could not extend file'; end $$`)
    const writing = new Statement('insert into things (id, name) values (refuse() + $1, $2)')
    const reading = new Statement('select name from things where id = $1')

    const outcomes = await Promise.allSettled([
      run(reading, [7]),
      run(writing, [900, 'never']),
      run(reading, [7]),
      run(writing, [901, 'never']),
    ])

    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'rejected'])
    expect((await pool.query('select from things where id >= 900')).rowCount).toBe(0)
  })

  test('an error has the stack of its caller', async () => {
    const failed = await run(new Statement('select 1 / $1::int'), [0]).catch((error: Error) => error)

    expect((failed as Error).stack).toContain('prepared-statements.test.ts')
  })

  test('statements that wait for a lock do not delay others', async () => {
    const several = openPool(url, { connections: 5, statementTimeoutMs: 50_000 })
    const runs = open(several)
    const touching = new Statement('update things set name = $1 where id = 301 returning name')
    await several.query('insert into things (id) values (301)')
    const holder = await several.connect()
    await holder.query('begin; select * from things where id = 301 for update')

    const held: Array<Promise<unknown>> = []
    for (const name of ['first', 'second', 'third']) {
      held.push(runs(touching, [name]))
      await waitFor(`${name} waits for the lock`, async () => {
        const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
        return (await pool.query(waiting)).rowCount === held.length
      })
    }
    const free = await runs(new Statement('select $1::text as free'), ['yes'])
    await holder.query('rollback')
    holder.release()
    await Promise.all(held)
    await several.end()

    expect(free).toEqual([{ free: 'yes' }])
  })
})

describe('a batch', () => {
  let pool: pg.Pool
  let run: Prepared

  beforeAll(async () => {
    pool = openPool(await createTestDatabase(), { connections: 2 })
    run = preparedStatements(pool)
    await pool.query('create table things (id int primary key, name text)')
  })
  afterAll(() => pool.end())

  test('statements of one turn share a transaction', async () => {
    const reading = new Statement('select pg_current_xact_id()::text as transaction')

    const together = (await Promise.all([run(reading, []), run(reading, []), run(reading, [])])).flat()
    const later = await run(reading, [])

    expect(new Set(together.map((row) => JSON.stringify(row))).size).toBe(1)
    expect(together).not.toContainEqual(later[0])
  })

  test('an invalid value is rejected before it joins a batch', async () => {
    const reading = new Statement('select $1::text as text, pg_current_xact_id()::text as transaction')

    const [first, bad, second] = await Promise.allSettled([
      run(reading, ['one']),
      run(reading, ['zero\0byte']),
      run(reading, ['two']),
    ])

    expect(bad).toMatchObject({ status: 'rejected', reason: { code: '22021' } })
    const transactions = [first, second].map(
      (each) => each?.status === 'fulfilled' && (each.value[0] as { transaction: string }).transaction,
    )
    expect(transactions[0]).toMatch(/^\d+$/)
    expect(transactions[0]).toBe(transactions[1])
  })

  test('when the connection dies, all statements fail, and none is resent', async () => {
    const adding = new Statement('insert into things (id) values ($1) returning id')
    const dying = new Statement('select pg_terminate_backend(pg_backend_pid()), $1::int')

    const outcomes = await Promise.allSettled([run(adding, [201]), run(dying, [1]), run(adding, [202])])

    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected'])
    expect(await run(new Statement('select id from things where id in (201, 202)'), [])).toEqual([])
  })
})

test('the driver is pinned to one version', async () => {
  const { dependencies } = JSON.parse(await readFile(new URL('../../package.json', import.meta.url), 'utf8'))

  expect(dependencies.pg).toMatch(/^\d+\.\d+\.\d+$/)
})
