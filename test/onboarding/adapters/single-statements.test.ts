import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding({ env: { BATCH_STATEMENTS: 'false' } })
})
afterAll(() => world.close())

test('links succeed with BATCH_STATEMENTS=false', async () => {
  const minted = await world.mint()
  const { query } = await world.consent(minted)

  const done = await world.complete(minted, query)

  expect(done.body).toMatchObject({ status: 'linked' })
})
