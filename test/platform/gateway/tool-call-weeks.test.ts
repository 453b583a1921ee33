// Tool calls are partitioned by week, and old weeks are dropped.
import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../../src/kit/database/migrations.ts'
import { openPool } from '../../../src/kit/database/pool.ts'
import { migrations } from '../../../src/platform/shared/postgres/migrations.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createTestDatabase } from '../../support/processes/stores.ts'

let url: string
let pool: pg.Pool
beforeEach(async () => {
  url = await createTestDatabase('platform')
  pool = openPool(url)
  await addWorkspace(pool)
})
afterEach(() => pool.end())

const addWorkspace = (into: pg.Pool) =>
  into.query(`
    insert into accounts (id, name) values ('a', 'a');
    insert into workspaces (name, id, account_id, display_name, created_by, updated_by)
    values ('acme', 'w', 'a', 'Acme', 'test', 'test')`)

const insertion = `
  insert into tool_calls (at, duration_ms, workspace, function_name, function_id, caller_kind, caller_id, caller_label,
    credential, tool, outcome)
  values (now() - make_interval(days => $1), 12, 'acme', 'mail', 'f-1', 'user', 'u-1', 'User', 'key-1', 'search',
    'succeeded') returning id`

const call = async (ageDays = 0) => (await pool.query(insertion, [ageDays])).rows[0].id as number

/** As if the database's clock said so. */
async function beginWeek(day: string) {
  while ((await pool.query('select begin_tool_call_week($1) as made', [day])).rows[0].made);
}

const keep = (by = pool) => by.query('select keep_tool_calls(30)')

const weeks = async () =>
  (
    await pool.query(
      `select right(relname, 8) as week from pg_inherits join pg_class on pg_class.oid = inhrelid
       where inhparent = 'tool_calls'::regclass order by 1`,
    )
  ).rows.map(({ week }) => week)

const ids = async () => (await pool.query('select id from tool_calls order by id')).rows.map(({ id }) => id)

test('a week is dropped when all of its calls are older than 30 days', async () => {
  await call(200)
  await beginWeek('2026-01-07')
  await call(40)
  await beginWeek('2026-01-12')
  await call(40)
  await call(29)
  await beginWeek('2026-01-19')
  await call()

  await keep()

  expect(await ids()).toEqual([2026011200000001, 2026011200000002, 2026011900000001])
  expect((await weeks())[0]).toBe('20260112')
})

test('the week under way is kept, however old its calls are', async () => {
  await beginWeek('2026-01-05')
  await call(100)

  await keep()

  expect(await ids()).toEqual([2026010500000001])
})

test('a role that may not change tables begins and drops weeks', async () => {
  const role = `program_${randomBytes(6).toString('hex')}`
  await pool.query(`
    create role ${role} login password 'program';
    grant select, insert, update, delete on all tables in schema public to ${role};
    grant usage, select on all sequences in schema public to ${role}`)
  const address = new URL(url)
  address.username = role
  address.password = 'program'
  const program = openPool(address.href)
  onTestFinished(async () => {
    await program.end()
    const owner = openPool(url)
    await owner.query(`drop owned by ${role}; drop role ${role}`)
    await owner.end()
  })
  await call(100)

  await keep(program)
  await keep(program)
  await program.query(insertion, [0])
  await keep(program)

  expect(await ids()).toEqual([expect.any(Number)])
  expect(await weeks()).not.toContain('00000000')
})

test('a temporary view of the program does not run with the rights of the owner', async () => {
  const program = openPool(url, { connections: 1 })
  onTestFinished(() => program.end())
  await program.query(`
    create function pg_temp.who() returns bigint language plpgsql as $$
    begin raise exception 'ran as %', current_user; end $$;
    create temporary view tool_calls_id_seq as select pg_temp.who() as last_value`)

  await expect(keep(program)).resolves.toBeDefined()
})

test('several processes begin a week at once, while calls are written', async () => {
  let isWriting = true
  let count = 0
  const written = Promise.all(
    [1, 2, 3].map(async () => {
      while (isWriting) {
        await call()
        count++
      }
    }),
  )

  for (const day of ['2026-08-03', '2026-08-10', '2026-12-28']) await Promise.all([1, 2, 3].map(() => beginWeek(day)))
  await Promise.all([keep(), keep()])
  isWriting = false
  await written

  expect(await ids()).toHaveLength(count)
  expect(await weeks()).toEqual(expect.arrayContaining(['20260803', '20260810', '20260817', '20261228', '20270104']))
})

test('a statement that began before a week had a partition gets an ID of the old week', async () => {
  const holder = await pool.connect()
  await holder.query('select pg_advisory_lock(7)')
  const slow = pool.query(
    insertion
      .replace('values (', 'select ')
      .replace(/\) returning/, ' from (select pg_advisory_lock(7)) as waiting returning'),
    [0],
  )
  await waitFor('it waits', async () => {
    const { rowCount } = await pool.query(`select from pg_locks where locktype = 'advisory' and not granted`)
    return rowCount === 1
  })

  await beginWeek('2026-08-03')
  await holder.query('select pg_advisory_unlock(7)')
  const { rows } = await slow
  holder.release(true)
  await beginWeek('2026-08-03')

  expect([rows[0].id, await call()]).toEqual([1, 2026080300000001])
})

test('calls of a deleted workspace are deleted in every week', async () => {
  await call()
  await beginWeek('2026-08-03')
  await call()

  await pool.query(`delete from workspaces where name = 'acme'`)

  expect(await ids()).toEqual([])
})

test('a clock that goes back does not bring numbers back, and a full week goes on in the next one', async () => {
  await beginWeek('2026-01-12')
  await beginWeek('2026-01-05')
  await call()
  await pool.query("select setval('tool_calls_id_seq', 2026011899999999)")
  await call()
  await pool.query("select setval('tool_calls_id_seq', 2026012599999999)")
  await beginWeek('2026-01-12')
  await call()
  await pool.query("select setval('tool_calls_id_seq', 2026020199999999)")
  await call()

  expect(await ids()).toEqual([2026011200000001, 2026011900000000, 2026012600000000, 2026020200000000])
})

test('calls of an earlier release are kept in the first partition', async () => {
  const earlier = openPool(await createTestDatabase())
  onTestFinished(() => earlier.end())
  await migrate(
    earlier,
    migrations.filter(({ name }) => name < '0010'),
  )
  await addWorkspace(earlier)
  await earlier.query(insertion, [0])

  await migrate(earlier, migrations)
  await earlier.query(insertion, [0])

  const { rows } = await earlier.query('select tableoid::regclass::text as partition, id from tool_calls order by id')
  expect(rows).toEqual([
    { partition: 'tool_calls_00000000', id: 1 },
    { partition: 'tool_calls_00000000', id: 2 },
  ])
})
