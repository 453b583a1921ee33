// O14: a provider that does not know our redirect URI must not send the user back (RFC 6749 §4.1.2.1).
import { beforeEach, expect, test } from 'vitest'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { sweepLinks } from '../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { type MemoryWorld, openMemoryWorld } from '../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

async function leave(): Promise<Link> {
  const link = await world.addLink()
  world.clock.pass(901)
  await sweepLinks(world, world.settings)
  return (await world.links.find(link.id)) as Link
}

test('O14: abandoned links of an integration that never worked name the operator', async () => {
  expect(await leave()).toMatchObject({ state: 'abandoned', cause: 'callback_missing' })
  expect(await leave()).toMatchObject({ state: 'abandoned', cause: 'callback_missing' })
  expect(world.events()).toEqual(['link.failed', 'link.failed'])
})

test('O14: an abandoned link of a working integration names the user', async () => {
  await world.addConnection()

  expect(await leave()).toMatchObject({ state: 'abandoned', cause: 'session_expired' })
})

test('O14: users who are still at the provider do not count', async () => {
  await world.addConnection()
  await Promise.all(Array.from({ length: 6 }, () => world.addLink()))
  const link = await world.addLink({}, { expiresInSeconds: 1 })
  world.clock.pass(2)
  await sweepLinks(world, world.settings)

  expect(await world.links.find(link.id)).toMatchObject({ state: 'abandoned', cause: 'session_expired' })
})
