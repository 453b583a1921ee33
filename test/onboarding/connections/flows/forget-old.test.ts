import { beforeEach, expect, test } from 'vitest'
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
const forget = () => forgetOld(world)()
const grants = () => world.tables.storedGrants.size

test('a grant that can no longer be gone back to is revoked and wiped; the one in use stays', async () => {
  await world.relink(await world.addConnection())
  await forget()
  const early = grants()
  world.clock.pass(day + 1)

  await forget()

  expect([early, grants()]).toEqual([2, 1])
  expect(world.provider.calls).toEqual(['revoke first grant'])
})

test('where revoking would end the whole consent, the grant is wiped alone', async () => {
  await open({ revocation: { reach: 'grant' } })
  await world.relink(await world.addConnection())
  world.clock.pass(day + 1)

  await forget()

  expect(grants()).toBe(1)
  expect(world.provider.calls).toEqual([])
})

test('a grant of an integration that was taken away goes as well', async () => {
  await world.relink(await world.addConnection())
  world.removeIntegration('files')
  world.clock.pass(day + 1)

  await forget()

  expect(grants()).toBe(1)
})

test('a grant whose provider refuses to revoke it goes all the same', async () => {
  await world.relink(await world.addConnection())
  world.provider.revoke = async () => 'refused'
  world.clock.pass(day + 1)

  await forget()

  expect(grants()).toBe(1)
})

test('a provider that breaks keeps one grant for the next time, and the others go', async () => {
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

test('more grants than one round takes are all forgotten', async () => {
  for (let count = 0; count < 25; count++) await world.relink(await world.addConnection())
  world.clock.pass(day + 1)

  await forget()

  expect(grants()).toBe(25)
})

test('answers, secrets and events go when their time is over', async () => {
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
