// The audit is partitioned by month, and retention drops whole months.
import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../../src/kit/database/pool.ts'
import { auditColumns, auditNames, auditValues } from '../../../src/onboarding/adapters/postgres/audit.ts'
import { openAuditChain } from '../../../src/onboarding/adapters/postgres/audit-chain/audit-chain.ts'
import { verifyChain } from '../../../src/onboarding/flows/verify-audit.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { dyingPool } from '../../support/processes/dying-pool.ts'
import { type AuditWorld, fullEntry, openAuditWorld } from '../../support/worlds/audit-world.ts'

let world: AuditWorld
beforeEach(async () => {
  world = await openAuditWorld()
})
afterEach(() => world.close())

const months = async (table = 'audit') =>
  (
    await world.pool.query(
      `select right(relname, 6) as month from pg_inherits join pg_class on pg_class.oid = inhrelid
       where inhparent = $1::regclass order by 1`,
      [table],
    )
  ).rows.map(({ month }) => month)

const ids = async () => (await world.pool.query('select id from audit order by id')).rows.map(({ id }) => id)

const makeOld = (where = 'true') => world.tamper(`update audit set at = now() - interval '100 days' where ${where}`)

/** Sealed entries of this month. */
async function addIn(month: string, count: number, more: object = {}) {
  await world.beginMonth(month)
  await world.add(count, more)
  await world.seal()
}

const forgetOld = () => world.auditRetention.forgetOld(90)

test('a month is dropped when all of its entries are too old, and the chain goes on from an entry that says so', async () => {
  await world.add(3)
  await makeOld()
  await world.seal()
  await addIn('2026-09', 2)
  const head = await world.head()

  expect(await forgetOld()).toBe(1)

  expect(await world.verify('acme', [head])).toEqual({ chain: 'acme', verified: 6 })
  expect(await ids()).toEqual([2026090000000001, 2026090000000002])
  expect(await world.auditChains.specials('acme')).toEqual([
    { kind: 'retention', through: 3, hash: expect.any(String), throughId: '3' },
  ])
  expect(await months()).toEqual(['202609', '202610', '202611'])
  expect(await months('audit_blocks')).toEqual(['202609', '202610', '202611', 'pecial'])
  expect(await forgetOld()).toBe(0)
})

test('a month with one young entry is kept, and so is one that is not over', async () => {
  await world.add(3)
  await makeOld('id < 3')
  await world.seal()
  await addIn('2026-09', 2)
  await makeOld('id > 3')

  expect(await forgetOld()).toBe(0)

  await makeOld()
  expect(await forgetOld()).toBe(1)
  expect(await ids()).toHaveLength(2)
})

test('a month with an entry that is not sealed is kept', async () => {
  await world.add(1)
  await world.seal()
  await world.add(1)
  await makeOld()
  await world.beginMonth('2026-09')

  expect(await forgetOld()).toBe(0)

  await world.seal()
  expect(await forgetOld()).toBe(1)
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 3 })
})

test('of several retention entries only the latest is needed, and a chain without new entries keeps its own', async () => {
  await addIn('2026-06', 2)
  await world.add(1, { tenant: 'quiet' })
  await world.seal()
  await addIn('2026-07', 2)
  await addIn('2026-08', 2)
  await makeOld()
  await addIn('2026-11', 1)

  expect(await forgetOld()).toBe(6) // three of them were empty

  expect(await ids()).toEqual([2026110000000001])
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 10 })
  expect(await world.verify('quiet')).toEqual({ chain: 'quiet', verified: 2 })
  expect(await world.auditChains.specials('acme')).toMatchObject([{ through: 2 }, { through: 4 }, { through: 6 }])
  await makeOld()
  await addIn('2027-01', 1)
  await forgetOld()
  await makeOld()
  await addIn('2027-02', 1)
  await forgetOld()
  expect(await world.auditChains.specials('acme')).toMatchObject([{ through: 7 }, { through: 11 }])
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 14 })
  expect(await world.verify('quiet')).toEqual({ chain: 'quiet', verified: 2 })
})

test('a check during a drop starts again instead of reporting removed entries', async () => {
  await world.add(3)
  await makeOld()
  await world.seal()
  await addIn('2026-09', 1)
  const beside = {
    ...world.auditChains,
    async specials(chain: string) {
      return world.auditChains.specials(chain).finally(forgetOld)
    },
  }

  expect(await verifyChain(beside, { chain: 'acme', saved: [] })).toEqual({ chain: 'acme', verified: 5 })
})

test('entries that are removed after the dropped months are found', async () => {
  await world.add(3)
  await makeOld()
  await world.seal()
  await addIn('2026-09', 2)
  await forgetOld()

  await world.tamper('delete from audit where id = 2026090000000001')
  expect(await world.verify()).toMatchObject({
    finding: { position: 4, problem: 'removed', entryId: '2026090000000001' },
  })
  await world.tamper('delete from audit_blocks where first = 4', 'delete from audit')
  expect(await world.verify()).toMatchObject({ finding: { problem: 'removed' } })
})

test('an erasure of a user with dropped entries erases the others, and the chain verifies', async () => {
  await world.add(3)
  await makeOld()
  await world.seal()
  await addIn('2026-09', 3)
  await forgetOld()

  expect(await world.erase('ers_1', 'lnk_1')).toBe(1)

  expect(await world.verify()).toEqual({ chain: 'acme', verified: 8 })
})

test('a drop also deletes the rows of earlier erasures', async () => {
  await world.add(3)
  await world.seal()
  await world.erase('ers_1', 'lnk_1')
  await makeOld()
  await addIn('2026-09', 1)

  await forgetOld()

  expect((await world.pool.query('select from audit_erased')).rowCount).toBe(0)
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 6 })
})

test('the database drops a month only if retention entries name all of it, and the oldest first', async () => {
  const drop = (month: number) => world.pool.query('select drop_audit_month($1)', [month])
  await addIn('2026-06', 2)
  await addIn('2026-07', 1)

  await expect(drop(0)).resolves.toBeDefined() // empty
  await expect(drop(202606)).rejects.toThrow('only ever added to')
  await expect(drop(202607)).rejects.toThrow('only ever added to')
  await expect(world.pool.query('delete from audit_202606')).rejects.toThrow('only ever added to')
  await expect(world.pool.query('truncate audit_202606')).rejects.toThrow('only ever added to')
  expect(await ids()).toHaveLength(3)
})

test('temporary tables of the program do not stand for those of the owner', async () => {
  await world.add(2)
  const program = openPool(world.url, { connections: 1 })
  onTestFinished(() => program.end())
  await program.query(`
    create temporary table audit_sealing as select 9000000000000000 as horizon;
    create temporary table audit (id bigint)`)

  await expect(program.query('select drop_audit_month(0)')).rejects.toThrow('only ever added to')

  expect(await ids()).toHaveLength(2)
})

test('a role that may not change tables begins and drops months', async () => {
  const role = `program_${randomBytes(6).toString('hex')}`
  await world.pool.query(`
    create role ${role} login password 'program';
    alter default privileges in schema public grant select, insert, update, delete on tables to ${role};
    grant select, insert, update, delete on all tables in schema public to ${role};
    grant usage, select on all sequences in schema public to ${role}`)
  const url = new URL(world.url)
  url.username = role
  url.password = 'program'
  const pool = openPool(url.href)
  onTestFinished(async () => {
    await pool.end()
    const owner = openPool(world.url)
    await owner.query(`drop owned by ${role}; drop role ${role}`)
    await owner.end()
  })
  const { auditRetention } = openAuditChain(pool, world.keyring)
  await world.add(2)
  await makeOld()
  await world.seal()

  await auditRetention.continueMonths()
  await world.add(1)
  await world.seal()

  expect(await auditRetention.forgetOld(90)).toBe(1)
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 4 })
  await expect(pool.query('drop table audit_blocks')).rejects.toThrow('must be owner')
  await expect(pool.query("select setval('audit_id_seq', 1)")).rejects.toThrow('permission denied')
})

test('a statement that began before a month had a partition gets an ID of the old month', async () => {
  const holder = await world.pool.connect()
  await holder.query('select pg_advisory_lock(7)')
  const values = auditColumns.map(({ type }, at) => `$${at + 1}::${type}`)
  const slow = world.pool.query(
    `insert into audit (${auditNames.text}) select ${values} from (select pg_advisory_lock(7)) as waiting returning id`,
    auditValues(fullEntry(0)) as never,
  )
  await waitFor('it waits', async () => {
    const { rowCount } = await world.pool.query(`select from pg_locks where locktype = 'advisory' and not granted`)
    return rowCount === 1
  })

  await world.beginMonth('2026-09')
  await holder.query('select pg_advisory_unlock(7)')
  const { rows } = await slow
  holder.release(true)
  await addIn('2026-09', 1)

  expect(rows).toEqual([{ id: 1 }])
  expect(await ids()).toEqual([1, 2026090000000001])
})

test('several processes begin a month at once, while entries are written', async () => {
  let isWriting = true
  const written = Promise.all(
    [1, 2, 3].map(async () => {
      while (isWriting) await world.add(1)
    }),
  )

  for (const month of ['2026-08', '2026-09', '2026-12']) {
    await Promise.all([1, 2, 3].map(() => world.beginMonth(month)))
    await world.seal()
  }
  isWriting = false
  await written
  await world.seal()

  expect(await months()).toEqual(['000000', '202608', '202609', '202610', '202611', '202612', '202701', '202702'])
  const all = await ids()
  expect(await world.verify()).toEqual({ chain: 'acme', verified: all.length })
})

test('a process that dies before any statement of a drop leaves the month and its chains as they were', async () => {
  await world.add(3)
  await world.add(1, { tenant: 'beta' })
  await world.seal()
  await addIn('2026-11', 1)
  let at = 1
  for (; ; at++) {
    const { pool } = dyingPool(world.pool, at)
    await openAuditChain(pool, world.keyring)
      .auditRetention.forgetOld(-1) // the entries are young
      .catch(() => {})
    if (!(await months()).includes('000000')) break
    expect(await world.verify(), `statement ${at}`).toEqual({ chain: 'acme', verified: 4 })
  }

  expect(at).toBeGreaterThan(10)
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 5 })
  expect(await world.verify('beta')).toEqual({ chain: 'beta', verified: 2 })
})

test('entries are written while a month is dropped', async () => {
  await world.add(50)
  await makeOld()
  await addIn('2026-11', 1)
  let isWriting = true
  const written = Promise.all(
    [1, 2, 3].map(async () => {
      while (isWriting) await world.add(1)
    }),
  )

  expect(await forgetOld()).toBe(1)

  isWriting = false
  await written
  await world.seal()
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 51 + (await ids()).length })
})

test('a drop gives up while a backup reads the audit, and writers do not wait for the backup', async () => {
  await world.add(2)
  await makeOld()
  await world.seal()
  await addIn('2026-09', 1)
  const backup = await world.pool.connect()
  await backup.query('begin; select count(*) from audit')

  await expect(forgetOld()).rejects.toThrow('lock timeout')
  await world.add(1)

  expect(await world.verify()).toEqual({ chain: 'acme', verified: 3 })
  await backup.query('rollback')
  backup.release()
  expect(await forgetOld()).toBe(1)
})

test('a clock that goes back does not bring IDs back', async () => {
  await addIn('2026-09', 1)
  await addIn('2026-07', 1)

  expect(await ids()).toEqual([2026090000000001, 2026090000000002])
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 2 })
})

test('a month that was never begun is skipped, and a month with too many entries goes on in the next one', async () => {
  await addIn('2026-09', 1)
  await world.pool.query("select setval('audit_id_seq', 2026099999999999)")
  await addIn('2026-09', 2)
  await addIn('2027-03', 1)

  expect(await ids()).toEqual([2026090000000001, 2026100000000000, 2026100000000001, 2027030000000001])
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 4 })
})
