// Each quirk links, refreshes, re-links and disconnects through both programs.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stateOf } from '../../../src/demo/misbehave/domain/grants.ts'
import { type QuirkWorld, startQuirkWorld } from './quirk-world.ts'
import { quirks } from './quirks.ts'

let world: QuirkWorld
beforeAll(async () => {
  world = await startQuirkWorld(quirks)
})
afterAll(() => world?.close())

/** Longer than access tokens last, and shorter than anything else. */
const later = 2 * 3_600

test.each(Object.entries(quirks))('%s', async (_, quirk) => {
  const { instance } = world.of(quirk)
  const alive = () => instance.grants.filter((grant) => stateOf(grant, instance) === 'alive')
  const refreshes = () => instance.requests.filter(({ parameters }) => parameters.grant_type === 'refresh_token').length

  const connection = await world.link(quirk)
  expect(await world.check(connection)).toBe('healthy')

  const before = refreshes()
  instance.advance(later)
  expect(await world.check(connection)).toBe('healthy')
  expect(refreshes() > before).toBe(!quirk.isNeverRefreshed)

  expect(await world.relink(connection)).toBe('linked')
  expect(await world.check(connection)).toBe('healthy')

  await world.disconnect(connection)
  if (!quirk.staysAlive) expect(alive()).toEqual([])
})

test('a grant that the user ends is noticed, told by its cause, and mended by a re-link', async () => {
  const quirk = quirks['12: a dead grant by another error and status']!
  const { instance } = world.of(quirk)
  const connection = await world.link(quirk)
  await world.check(connection)

  for (const grant of instance.grants) grant.endedBy ??= 'user'
  instance.advance(later)

  expect(await world.check(connection)).toBe('grant_revoked')
  expect(await world.relink(connection)).toBe('linked')
  expect(await world.check(connection)).toBe('healthy')
})
