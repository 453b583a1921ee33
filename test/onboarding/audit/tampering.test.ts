// Every change of the audit outside the program is found: each column, each place, and the chain itself.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openAuditChain } from '../../../src/onboarding/adapters/postgres/audit-chain/audit-chain.ts'
import { hashAfter, nextHash, startOf } from '../../../src/onboarding/domain/audit/audit-chain.ts'
import type { SavedHead } from '../../../src/onboarding/domain/audit/verify-chain.ts'
import { type AuditWorld, keyringOf, openAuditWorld } from '../../support/worlds/audit-world.ts'

let world: AuditWorld
let head: SavedHead

/** The IDs of acme are 1, 2, 3, 6, 7 and 8: positions 1 to 6 in two blocks. 4 was rolled back, 5 has no tenant. */
beforeEach(async () => {
  world = await openAuditWorld()
  await world.add(3)
  await world.pool.query("select nextval('audit_id_seq')")
  await world.add(1, { tenant: undefined })
  await world.seal()
  await world.add(3)
  await world.seal()
  head = await world.head()
})
afterEach(() => world.close())

test('an untouched audit verifies, as a whole and against a saved head', async () => {
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 6 })
  expect(await world.verify('acme', [head])).toEqual({ chain: 'acme', verified: 6 })
  expect(await world.verify('')).toEqual({ chain: '', verified: 1 })
})

describe.each([
  ['at', "at + interval '1 microsecond'"],
  ['action', "'connection.checked'"],
  ['subject_kind', "'link'"],
  ['subject_id', "'con_9'"],
  ['facts', `facts || '{"revocation": "kept"}'`],
  ['actor_kind', "'operator'"],
  ['actor_id', "'b2'"],
  ['actor_name', "'C'"],
  ['tenant', "'beta'"],
  ['link', "'lnk_9'"],
  ['connection', 'null'],
  ['reason', "'another'"],
  ['before', `before || '{"status": "broken"}'`],
  ['before', `before || '{"account": "other@provider.example"}'`],
  ['after', `after || '{"account": null}'`],
  ['request_id', "'req_2'"],
  ['address', "'203.0.113.8'"],
  ['erasure', "'ers_1'"],
])('a changed %s', (column, value) => {
  test(`is found: ${value}`, async () => {
    await world.tamper(`update audit set ${column} = ${value} where id = 6`)

    expect(await world.verify()).toEqual({
      chain: 'acme',
      verified: 3,
      finding: { position: 4, problem: 'changed', entryId: '6' },
    })
  })
})

test.each([
  ['first', 'id = 1', 1],
  ['middle', 'id = 3', 3],
  ['last', 'id = 8', 6],
  ['last of all rows', 'id > 5', 4],
  ['whole', 'true', 1],
])('a removed %s entry is found', async (_which, where, position) => {
  await world.tamper(`delete from audit where ${where}`)

  expect(await world.verify()).toMatchObject({ finding: { position, problem: 'removed' } })
})

const copied = (id: number, tenant = "'acme'") => `
  insert into audit (id, action, facts, actor_kind, tenant) overriding system value
  values (${id}, 'link.code_waiting', '{}', 'worker', ${tenant})`

test('an entry inserted between sealed ones is found', async () => {
  await world.tamper(copied(4))

  expect(await world.verify()).toMatchObject({ finding: { position: 4, problem: 'inserted', entryId: '4' } })
})

test('an entry inserted before, behind or into another chain is found', async () => {
  await world.tamper(copied(0), copied(4, "'beta'"))

  expect(await world.verify()).toMatchObject({ finding: { position: 1, problem: 'inserted', entryId: '0' } })
  expect(await world.verify('beta')).toMatchObject({ finding: { position: 1, problem: 'inserted', entryId: '4' } })
  expect(await world.auditChains.names()).toContain('beta')
})

test('exchanged entries are found as exchanged', async () => {
  const others = 'at, subject_id, facts, link, connection, reason'
  await world.tamper(
    `update audit set (${others}) = (select ${others} from audit as other where other.id = 9 - audit.id + 4)
     where id in (6, 7)`,
  )

  expect(await world.verify()).toMatchObject({ finding: { position: 4, problem: 'reordered', entryId: '6' } })
})

test.each([
  ['leaves', 'leaves = set_byte(leaves, 0, 1 + get_byte(leaves, 0) % 255)', 'changed', 1],
  ['salts', 'salts = set_byte(salts, 32, 1 + get_byte(salts, 32) % 255)', 'changed', 2],
  ['hash', 'hash = set_byte(hash, 0, 1 + get_byte(hash, 0) % 255)', 'rewritten', 1],
  ['IDs', "ids = '{2,1,3}'", 'changed', 1],
  ['signature', 'signature = set_byte(signature, 0, 1 + get_byte(signature, 0) % 255)', 'forged_head', 3],
  ['time', "sealed_at = sealed_at + interval '1 second'", 'forged_head', 3],
  ['position', 'first = 2', 'removed', 1],
])('a block with changed %s is found', async (_part, change, problem, position) => {
  await world.tamper(`update audit_blocks set ${change} where chain = 'acme' and first = 1`)

  expect(await world.verify()).toMatchObject({ finding: { position, problem } })
})

test('a removed block is found, with or without its entries', async () => {
  await world.tamper("delete from audit_blocks where chain = 'acme' and first = 1")
  expect(await world.verify()).toMatchObject({ finding: { position: 1, problem: 'removed' } })

  await world.tamper("delete from audit where id < 4 and tenant = 'acme'")
  expect(await world.verify()).toMatchObject({ finding: { position: 1, problem: 'removed' } })
})

test('a removed end is found by the entries it leaves, and without them by a saved head', async () => {
  await world.tamper("delete from audit_blocks where chain = 'acme' and first = 4")
  expect(await world.verify()).toMatchObject({ finding: { position: 4, problem: 'inserted' } })

  await world.tamper('delete from audit where id > 5')
  expect(await world.verify()).toEqual({ chain: 'acme', verified: 3 })
  expect(await world.verify('acme', [head])).toMatchObject({ finding: { position: 4, problem: 'shortened' } })
})

test('a removed chain is found by a saved head', async () => {
  await world.tamper("delete from audit_blocks where chain = 'acme'", "delete from audit where tenant = 'acme'")

  expect(await world.verify('acme', [head])).toMatchObject({ finding: { position: 1, problem: 'shortened' } })
})

test('a chain that was recomputed without the key is found', async () => {
  await world.tamper("update audit set reason = 'another' where id = 7")
  await recompute()

  expect(await world.verify()).toMatchObject({ finding: { problem: 'forged_head' } })
  expect(await world.verify('acme', [head])).toMatchObject({ finding: { position: 6, problem: 'forged_head' } })
})

/** What somebody with the published format and SQL can do: new leaves and hashes, the old signatures. */
async function recompute() {
  const { blocks, rows } = await world.auditChains.read('acme', { position: 0, id: 0 }, 100)
  const { entryRecord, leafOf, saltBytes } = await import('../../../src/onboarding/domain/audit/audit-chain.ts')
  let hash = startOf('acme')
  for (const { ids, salts, last } of blocks) {
    const leaves = ids.map((id, at) => {
      const salt = salts.subarray(at * saltBytes, (at + 1) * saltBytes)
      return leafOf(entryRecord(rows.get(id) as never, salt, undefined).body)
    })
    hash = hashAfter(hash, leaves)
    await world.pool.query('update audit_blocks set leaves = $1, hash = $2 where chain = $3 and last = $4', [
      Buffer.concat(leaves),
      hash,
      'acme',
      last,
    ])
  }
}

test('a chain that was sealed again with another key is found', async () => {
  await world.tamper("update audit set reason = 'another' where id = 7", 'delete from audit_blocks')
  await world.tamper('update audit_sealing set horizon = 0')
  const forger = openAuditChain(world.pool, keyringOf('test'))
  await forger.auditSealer.sealNext(8, 1_000)

  expect(await world.verify()).toMatchObject({ finding: { position: 6, problem: 'forged_head' } })
  expect(await world.verify('acme', [head])).toMatchObject({ finding: { position: 6, problem: 'other_history' } })
})

test('the sealer does not cover a forged head with a genuine one', async () => {
  await world.tamper("update audit set reason = 'another' where id = 7")
  await recompute()
  await world.add(1)
  await world.seal()
  await world.tamper("delete from audit_blocks where chain = 'acme' and first = 1") // also not by removing others

  expect(await world.verify()).toMatchObject({ finding: { problem: 'removed', position: 1 } })
  const { rows } = await world.pool.query("select body from audit_blocks where kind = 'break'")
  expect(rows).toEqual([{ body: { kind: 'break', at: 6 } }])
})

test('a break in the chain stays visible after later entries', async () => {
  await world.tamper("update audit_blocks set signature = decode(repeat('00', 64), 'hex') where last = 6")
  await world.add(1)
  await world.seal()
  await world.add(1)
  await world.seal()

  expect(await world.verify()).toMatchObject({ finding: { position: 6, problem: 'forged_head' } })
})

test('a restored older copy is found by a saved head, also after new entries', async () => {
  const tables = ['audit', 'audit_blocks', 'audit_sealing', 'audit_erased']
  await world.pool.query(tables.map((name) => `create table old_${name} as table ${name}`).join(';'))
  await world.add(2)
  await world.seal()
  const later = await world.head()
  await world.tamper(
    ...tables.map((name) => `delete from ${name}`),
    ...tables.map((name) => `insert into ${name} overriding system value table old_${name}`),
  )

  expect(await world.verify('acme', [later])).toMatchObject({ finding: { position: 7, problem: 'shortened' } })
  await world.add(3)
  await world.seal()
  expect(await world.verify('acme', [later])).toMatchObject({ finding: { position: 8, problem: 'other_history' } })
})

test('a lowered horizon seals entries twice, which is found', async () => {
  await world.tamper('update audit_sealing set horizon = 2')
  await world.seal()

  expect(await world.verify()).toMatchObject({ finding: { position: 7, problem: 'reordered', entryId: '3' } })
})

test('a raised horizon leaves entries out, which is found', async () => {
  await world.tamper('update audit_sealing set horizon = 20')
  await world.add(1)
  await world.seal()

  expect(await world.verify()).toMatchObject({ finding: { position: 7, problem: 'inserted', entryId: '9' } })
})

test('each leaf is hashed onto the hash before it', () => {
  const [one, two] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)]

  expect(hashAfter(startOf('acme'), [one, two])).toEqual(nextHash(nextHash(startOf('acme'), one), two))
  expect(startOf('acme')).not.toEqual(startOf('beta'))
})
