import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SealedRows } from '../../../src/kit/process/rotate-encryption.ts'
import { openAuditChain } from '../../../src/onboarding/adapters/postgres/audit-chain/audit-chain.ts'
import { verifyChain } from '../../../src/onboarding/flows/verify-audit.ts'
import { type AuditWorld, keyringOf, openAuditWorld } from '../../support/worlds/audit-world.ts'

let world: AuditWorld
beforeEach(async () => {
  world = await openAuditWorld()
})
afterEach(() => world.close())

test('an erasure is an entry of the chain, and the entries it names verify without their personal data', async () => {
  await world.add(3)
  await world.seal()

  const erased = await world.erase('ers_1', 'lnk_1')

  expect(erased).toBe(1)
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 4 })
  expect(await world.auditChains.specials('acme')).toEqual([{ kind: 'erasure', erasureId: 'ers_1', entries: ['2'] }])
  const { rows } = await world.pool.query('select reason, address, before, erasure from audit where id = 2')
  expect(rows).toEqual([{ reason: null, address: null, before: { status: 'active', account: null }, erasure: 'ers_1' }])
})

test('an erasure deletes the salts, so that nobody can test a guess', async () => {
  await world.add(3)
  await world.seal()
  await world.erase('ers_1', 'lnk_1')

  const { rows } = await world.pool.query(
    "select encode(substring(salts from 33 for 32), 'hex') as salt from audit_blocks where first = 1",
  )
  expect(rows).toEqual([{ salt: '0'.repeat(64) }])
})

test.each([
  ['reason', "reason = 'ticket'"],
  ['account', `before = before || '{"account": "someone@provider.example"}'`],
  ['address', "address = '203.0.113.9'"],
  ['status', `after = after || '{"status": "active"}'`],
  ['erasure', "erasure = 'ers_2'"],
  ['erasure', 'erasure = null'],
])('a change of an erased entry is found: %s', async (_name, change) => {
  await world.add(3)
  await world.seal()
  await world.erase('ers_1', 'lnk_1')

  await world.tamper(`update audit set ${change} where id = 2`)

  expect(await world.verify()).toMatchObject({ finding: { position: 2, problem: 'changed', entryId: '2' } })
})

test('the address of a server is not erased, and stays verifiable', async () => {
  await world.add(2, { actor: { kind: 'api_key', id: 'key_1', address: '203.0.113.1' } })
  await world.seal()
  await world.erase('ers_1', 'lnk_1')

  expect(await world.verify()).toEqual({ chain: 'acme', verified: 3 })
  await world.tamper("update audit set address = '203.0.113.2' where id = 2")
  expect(await world.verify()).toMatchObject({ finding: { position: 2, problem: 'changed' } })
})

test('an erasure before the seal, and one that also meets unsealed entries, verify', async () => {
  await world.add(2)
  await world.seal()
  await world.add(2)
  await world.erase('ers_1', 'lnk_1')
  await world.seal()

  expect(await world.verify()).toEqual({ chain: 'acme', verified: 5 })
  await world.tamper("update audit set erasure = 'ers_2' where id = 4")
  expect(await world.verify()).toMatchObject({ finding: { problem: 'changed', entryId: '4' } })
})

test('an erasure that only SQL pretends is found', async () => {
  await world.add(2)
  await world.seal()

  await world.tamper(
    "update audit set reason = null, erasure = 'ers_1' where id = 1",
    "insert into audit_erased (id, personal) values (1, decode(repeat('00', 32), 'hex'))",
    `insert into audit_blocks (chain, first, last, kind, leaves, body, hash, sealed_at, kid, signature)
     select chain, last + 1, last + 1, 'erasure', leaves, '{"kind":"erasure","erasureId":"ers_1","entries":["1"]}', hash,
       sealed_at, kid, signature from audit_blocks`,
  )

  expect(await world.verify()).toMatchObject({ finding: { position: 1, problem: 'changed' } })
})

test('the database lets nobody remove rows, and only an erasure change them', async () => {
  await world.add(2)
  await world.seal()

  await expect(world.pool.query('delete from audit where id = 1')).rejects.toThrow('only ever added to')
  await expect(world.pool.query("update audit set reason = 'x'")).rejects.toThrow('only ever added to')
  await expect(world.pool.query('truncate audit')).rejects.toThrow('only ever added to')
})

test('a rotation of keys signs the heads again, so that the old key can go', async () => {
  await world.add(2)
  await world.add(1, { tenant: undefined })
  await world.seal()
  const fresh = keyringOf('fresh')
  const both = { primary: 'fresh', keys: new Map([...fresh.keys, ...world.keyring.keys]) }
  const [alone, rotating] = [openAuditChain(world.pool, fresh), openAuditChain(world.pool, both)]
  const verify = () => verifyChain(alone.auditChains, { chain: 'acme', saved: [] })
  const heads = rotating.withHeads(noRows)
  const others = () => heads.countOthers('audit_blocks.signature')

  expect(await verify()).toMatchObject({ finding: { problem: 'forged_head' } })
  expect(await others()).toBe(2)
  expect(await heads.rewrapSome('audit_blocks.signature', undefined)).toEqual({ rewrapped: 2, next: undefined })
  expect(await others()).toBe(0)
  expect(await verify()).toEqual({ chain: 'acme', verified: 2 })
})

test('a rotation does not sign a forged head', async () => {
  await world.add(2)
  await world.seal()
  await world.tamper("update audit_blocks set signature = decode(repeat('00', 64), 'hex')")
  const fresh = keyringOf('fresh')
  const both = { primary: 'fresh', keys: new Map([...fresh.keys, ...world.keyring.keys]) }

  await openAuditChain(world.pool, both).withHeads(noRows).rewrapSome('audit_blocks.signature', undefined)

  const verdict = await verifyChain(openAuditChain(world.pool, fresh).auditChains, { chain: 'acme', saved: [] })
  expect(verdict).toMatchObject({ finding: { position: 2, problem: 'forged_head' } })
})

const noRows: SealedRows = {
  columns: [],
  rewrapSome: async () => ({ rewrapped: 0, next: undefined }),
  countOthers: async () => 0,
  otherSealingKeys: async () => [],
  forgetOthers: async () => {},
}
