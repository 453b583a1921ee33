import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPool } from '../../../src/kit/database/pool.ts'
import { auditColumns, auditNames, auditValues } from '../../../src/onboarding/adapters/postgres/audit.ts'
import { openAuditChain } from '../../../src/onboarding/adapters/postgres/audit-chain/audit-chain.ts'
import { sealAudit } from '../../../src/onboarding/flows/seal-audit.ts'
import { dyingPool } from '../../support/processes/dying-pool.ts'
import { type AuditWorld, fullEntry, openAuditWorld } from '../../support/worlds/audit-world.ts'

let world: AuditWorld
beforeEach(async () => {
  world = await openAuditWorld()
})
afterEach(() => world.close())

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

const insertion = `insert into audit (${auditNames.text}) values (${auditColumns.map(({ type }, at) => `$${at + 1}::${type}`).join()})`

const sealedIds = async () =>
  (await world.pool.query('select unnest(ids) as id from audit_blocks order by 1')).rows.map(({ id }) => Number(id))

const writtenIds = async () => (await world.pool.query('select id from audit order by id')).rows.map(({ id }) => id)

test('entries of each tenant and of the deployment are sealed in chains of their own', async () => {
  await world.add(2)
  await world.add(1, { tenant: 'beta' })
  await world.add(1, { tenant: undefined })

  const sealed = await world.seal()

  expect(sealed).toBe(4)
  expect(await world.verify('acme')).toEqual({ chain: 'acme', verified: 2 })
  expect(await world.verify('beta')).toEqual({ chain: 'beta', verified: 1 })
  expect(await world.verify('')).toEqual({ chain: '', verified: 1 })
  expect(await world.seal()).toBe(0)
})

test('an entry of a transaction under way is waited for, so that chains are in order of IDs', async () => {
  const slow = await world.pool.connect()
  await slow.query('begin')
  await slow.query(insertion, auditValues(fullEntry(0)) as never)
  await world.add(1)
  let isDone = false
  const sealing = world.seal().finally(() => {
    isDone = true
  })

  await world.add(3) // later writers do not wait
  expect(isDone).toBe(false)
  await slow.query('commit')
  slow.release()

  expect(await sealing).toBe(2)
  await world.seal()
  expect(await sealedIds()).toEqual([1, 2, 3, 4, 5])
})

test('two sealers at once seal every entry once', async () => {
  await world.add(300)
  const other = openPool(world.url)
  const second = openAuditChain(other, world.keyring)

  await Promise.all([world.seal(), sealAudit({ ...second, pause }), world.seal(), sealAudit({ ...second, pause })])
  await world.seal()

  expect(await sealedIds()).toEqual(await writtenIds())
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 300 })
  await other.end()
})

test('a sealer that dies before any of its statements leaves a whole chain, and the next one goes on', async () => {
  await world.add(2)
  await world.add(1, { tenant: 'beta' })
  await world.seal()
  let at = 1
  for (;;) {
    await world.add(1)
    await world.add(1, { tenant: 'beta' })
    const { pool, statements } = dyingPool(world.pool, at)
    await sealAudit({ ...openAuditChain(pool, world.keyring), pause }).catch(() => {})
    const acme = await world.verify()
    expect(acme.finding, `statement ${at}`).toBeUndefined()
    if (statements() < at) break
    at++
  }
  await world.seal()

  expect(at).toBeGreaterThan(6)
  expect(await sealedIds()).toEqual(await writtenIds())
  expect(await world.verify('beta')).toEqual({ chain: 'beta', verified: 1 + at })
})

test('2,000 entries of parallel writers are sealed once each, while some transactions roll back', async () => {
  const [writers, rounds, rows] = [8, 26, 10]
  let isWriting = true
  const write = async (writer: number) => {
    for (let round = 0; round < rounds; round++) {
      const client = await world.pool.connect()
      await client.query('begin')
      const values = auditValues(fullEntry(round, { tenant: writer % 2 ? 'acme' : 'beta' }))
      for (let row = 0; row < rows; row++)
        await client.query({ name: 'insert', text: insertion, values: values as never })
      await client.query(round % 25 === 24 ? 'rollback' : 'commit')
      client.release()
    }
  }
  const sealing = (async () => {
    while (isWriting) await world.seal()
  })()
  await Promise.all(Array.from({ length: writers }, (_, writer) => write(writer)))
  isWriting = false
  await sealing
  await world.seal()

  const expected = writers * (rounds - Math.floor(rounds / 25)) * rows
  expect(await writtenIds()).toHaveLength(expected)
  expect(await sealedIds()).toEqual(await writtenIds())
  expect(await world.verify('acme')).toEqual({ chain: 'acme', verified: expected / 2 })
  expect(await world.verify('beta')).toEqual({ chain: 'beta', verified: expected / 2 })
})
