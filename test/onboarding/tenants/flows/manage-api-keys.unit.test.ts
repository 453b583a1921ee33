import { beforeEach, expect, test } from 'vitest'
import { createApiKey, revokeApiKey } from '../../../../src/onboarding/tenants/flows/manage-api-keys.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const wanted = { actor: { kind: 'support', id: 'admin' }, name: 'portal', lifetimeDays: undefined } as const

test('a key expires after the requested days', async () => {
  const { id, expiresAt } = await createApiKey(world, { ...wanted, tenant: 'acme', lifetimeDays: 90 })

  expect(expiresAt).toEqual(new Date(world.now().getTime() + 90 * 86_400_000))
  expect(await world.apiKeys.find(id)).toMatchObject({ tenant: 'acme', testMode: false, expiresAt })
})

test('a key of a test tenant is always in test mode', async () => {
  await world.addTenant('test_acme')

  const { id, key } = await createApiKey(world, { ...wanted, tenant: 'test_acme' })

  expect(key.reveal()).toMatch(/^cwk_test_/)
  expect(await world.apiKeys.find(id)).toMatchObject({ testMode: true })
})

test.each([
  ['an unknown tenant', { tenant: 'nobody' }, 'not_found'],
  ['test mode of a live tenant', { tenant: 'acme', testMode: true }, 'input_invalid'],
])('creates no key for %s', async (_what, asked, code) => {
  await expect(createApiKey(world, { ...wanted, ...asked })).rejects.toMatchObject({ code })

  expect((await world.apiKeys.list({ cursor: undefined, limit: 10 })).data).toEqual([])
})

test('revoking a key twice is a no-op, and an unknown key is not found', async () => {
  const { id } = await createApiKey(world, { ...wanted, tenant: undefined })
  const revoke = (key: string) => revokeApiKey(world, { actor: wanted.actor, id: key, reason: 'leaked' })
  await revoke(id)
  const before = await world.apiKeys.find(id)

  await revoke(id)

  expect(await world.apiKeys.find(id)).toEqual(before)
  await expect(revoke('key_nobody')).rejects.toMatchObject({ code: 'not_found' })
})
