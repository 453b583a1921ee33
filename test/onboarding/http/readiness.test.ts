import { expect, test } from 'vitest'
import { openWorld } from '../../../src/onboarding/compose.ts'
import { readConfig } from '../../../src/onboarding/config.ts'
import { readParts } from '../../../src/onboarding/http/health.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { startOnboarding } from '../../support/worlds/onboarding-world.ts'

test('a program is not ready until its ledger is up to date and its keys are verified', async () => {
  const onboarding = await startOnboarding()
  const starting = openWorld(readConfig(onboarding.env))
  const database = async () => (await readParts(starting.readiness, 2_000)).find(({ name }) => name === 'database')

  const before = await database()
  await starting.prepare()
  // A busy machine may not answer the first check in time.
  const after = await waitFor('the database is ready', async () => {
    const report = await database()
    return report?.ready && report
  })

  expect(before).toMatchObject({ ready: false, state: 'being prepared' })
  expect(after).toMatchObject({ ready: true, state: 'ready' })
  await starting.close()
  await onboarding.close()
})

test.each(['redis', 'database'] as const)(
  'a probe of %s waits for the start instead of failing immediately',
  async (part) => {
    const onboarding = await startOnboarding()
    const starting = openWorld(readConfig(onboarding.env))
    await starting.readiness[part]() // connects

    const since = performance.now()
    await starting.readiness[part]()
    const waitedMs = performance.now() - since
    await starting.close()
    await onboarding.close()

    expect(waitedMs).toBeGreaterThan(490)
  },
)
