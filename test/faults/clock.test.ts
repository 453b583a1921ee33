// F21: sessions, leases and retries use the database's clock, because the clock of a process may be wrong.
import { afterEach, expect, test } from 'vitest'
import { sweepLinks } from '../../src/onboarding/provisioning/flows/sweep-links.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let skewMs = 0

afterEach(() => world.close())

const startSkewed = () =>
  startOnboarding({
    env: { VERIFY_FUNCTIONS: 'false' },
    replace: () => ({ now: () => new Date(Date.now() + skewMs) }),
  })

const hour = 60 * 60 * 1_000

test.each([
  { jump: 'an hour ahead', ms: hour },
  { jump: 'an hour back', ms: -hour },
])('F21, a clock that jumps $jump between two steps expires no session and no link', async ({ ms }) => {
  skewMs = 0
  world = await startSkewed()
  const minted = await world.mint()
  const waiting = await world.mint()
  skewMs = ms

  const { query } = await world.consent(minted)
  await sweepLinks(world.ports, world.settings)
  const completed = await world.complete(minted, query)

  expect(completed.body).toMatchObject({ status: 'linked' })
  const session = await world.api('GET', `/connect-sessions/${waiting.id}`)
  expect(session.body).toMatchObject({ status: 'open' })
})
