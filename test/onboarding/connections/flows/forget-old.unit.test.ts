import { beforeEach, expect, test, vi } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { forgetOld } from '../../../../src/onboarding/connections/flows/forget-old.ts'
import type { IdempotencyClaim } from '../../../../src/onboarding/domain/ports/shared.ts'
import type { ProfileData } from '../../../../src/onboarding/integrations/profile.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { breaks } from '../../../support/memory/doubles.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
const open = async (integration: Partial<ProfileData> = {}) => {
  world = await openMemoryWorld({ integration })
}
beforeEach(() => open())

const day = 24 * 60 * 60
const forget = () => forgetOld(world)
const grants = () => world.tables.storedGrants.size

test('revokes and wipes a previous grant after a day, and keeps the current one', async () => {
  await world.relink(await world.addConnection())
  await forget()
  const early = grants()
  world.clock.pass(day + 1)

  await forget()

  expect([early, grants()]).toEqual([2, 1])
  expect(world.provider.calls).toEqual(['revoke first grant'])
})

test('wipes a grant without revoking it if that would end the whole consent', async () => {
  await open({ revocation: { reach: 'grant' } })
  await world.relink(await world.addConnection())
  world.clock.pass(day + 1)

  await forget()

  expect(grants()).toBe(1)
  expect(world.provider.calls).toEqual([])
})

test('wipes the previous grant of a removed integration', async () => {
  await world.relink(await world.addConnection())
  world.removeIntegration('files')
  world.clock.pass(day + 1)

  await forget()

  expect(grants()).toBe(1)
})

test('wipes a previous grant even if the provider rejects revocation', async () => {
  await world.relink(await world.addConnection())
  world.provider.revoke = async () => 'refused'
  world.clock.pass(day + 1)

  await forget()

  expect(grants()).toBe(1)
})

test('keeps a grant whose revocation throws, and wipes the others', async () => {
  for (let count = 0; count < 3; count++) await world.relink(await world.addConnection())
  world.clock.pass(day + 1)
  const { revoke } = world.provider
  let tries = 0
  world.provider.revoke = (...args) => (tries++ === 1 ? breaks() : revoke(...args))

  await expect(forget()).rejects.toThrow(TypeError)
  expect(grants()).toBe(4)
  await forget()
  expect(grants()).toBe(3)
})

test.each([
  ['does not decrypt', () => vi.spyOn(world.seal, 'open')],
  ['has a client that cannot be read', () => vi.spyOn(world.tenants, 'ownClient')],
])('keeps a grant that %s, and revokes and wipes the others', async (_, spyOn) => {
  for (let count = 0; count < 2; count++) await world.relink(await world.addConnection())
  world.clock.pass(day + 1)
  spyOn().mockImplementationOnce(() => {
    throw new TypeError('unreadable')
  })

  await expect(forget()).rejects.toThrow(TypeError)

  expect(grants()).toBe(3)
  expect(world.provider.calls).toEqual(['revoke first grant'])
})

test('wipes more grants than fit in one batch', async () => {
  for (let count = 0; count < 25; count++) await world.relink(await world.addConnection())
  world.clock.pass(day + 1)

  await forget()

  expect(grants()).toBe(25)
})

test('deletes expired idempotency responses, signing secrets and events', async () => {
  const claim = (await world.idempotency.begin('key', 'digest', 'seed')) as IdempotencyClaim
  await world.idempotency.finish(claim, 'answer')
  const next = new Secret('next')
  await world.tenants.rotateSigningSecret('acme', next, 60, auditEntry('tenant.signing_secret_rotated'))
  const event = { id: 'evt_1', name: 'link.failed', payload: {} } as const
  await world.move(await world.addLink(), 'failed', { event })
  await world.deliveries.announce(10)
  await forget()
  const early = [world.tables.idempotency.size, world.tables.outbox.size]
  world.clock.pass(31 * day)

  await forget()

  expect(early).toEqual([1, 1])
  expect([world.tables.idempotency.size, world.tables.outbox.size]).toEqual([0, 0])
  expect(world.tables.tenants.get('acme')).toMatchObject({ signingSecret: next, next: undefined })
})
