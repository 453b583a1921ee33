// X15: a profile with missing members. The platform must be able to refresh each grant that onboarding can link.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Instance } from '../../../src/demo/misbehave/domain/instance.ts'
import { type Quirk, type QuirkWorld, startQuirkWorld } from './quirk-world.ts'

const nested = (nesting: string): Quirk => ({
  switches: `token_nesting=${nesting};rotation=single_use`,
  unsaid: ['tokenAnswer'],
})

const quirks = {
  data: nested('data'),
  authed_user: nested('authed_user'),
  list: nested('list'),
  unreadable: nested('data'),
  elsewhere: { switches: 'refresh_at=elsewhere;rotation=single_use', unsaid: ['refresh'] },
} satisfies Record<string, Quirk>

let world: QuirkWorld
beforeAll(async () => {
  world = await startQuirkWorld(quirks)
})
afterAll(() => world?.close())

/** Longer than the lifetime of access tokens. */
const later = 2 * 3_600

const refreshes = (instance: Instance) =>
  instance.requests.filter(({ parameters }) => parameters.grant_type === 'refresh_token').length

test.each(['data', 'authed_user', 'list'] as const)(
  'X15: tokens nested in "%s", which the profile does not mention, are refreshed repeatedly',
  async (nesting) => {
    const { instance } = world.of(quirks[nesting])
    const connection = await world.link(quirks[nesting])

    const found = []
    const before = refreshes(instance)
    for (let round = 0; round < 3; round++) {
      instance.advance(later)
      found.push(await world.check(connection))
    }

    expect(found).toEqual(['healthy', 'healthy', 'healthy'])
    expect(refreshes(instance) - before).toBeGreaterThanOrEqual(3)
    expect(instance.grants.map(({ endedBy }) => endedBy)).toEqual([undefined])
  },
)

test('X15: a single-use token is not sent again after an unreadable response', async () => {
  const { instance } = world.of(quirks.unreadable)
  const connection = await world.link(quirks.unreadable)
  await world.check(connection)
  const before = refreshes(instance)
  instance.switches.refresh_manner = 'not_json'
  instance.advance(later)

  const found = [await world.check(connection), await world.check(connection)]

  expect(refreshes(instance) - before).toBe(1)
  expect(instance.grants.map(({ endedBy }) => endedBy)).toEqual([undefined])
  expect(found).toEqual(['profile_mismatch', 'profile_mismatch'])
})

test('X15: a refresh that is sent to the wrong address does not require a re-link', async () => {
  const { instance } = world.of(quirks.elsewhere)
  const connection = await world.link(quirks.elsewhere)
  instance.advance(later)

  const found = [await world.check(connection), await world.check(connection), await world.check(connection)]

  expect(found).toEqual(['profile_mismatch', 'profile_mismatch', 'profile_mismatch'])
  expect(instance.grants.map(({ endedBy }) => endedBy)).toEqual([undefined])
})
