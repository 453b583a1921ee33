// An integration is removed from the configuration while a grant for it is in escrow.
import { afterEach, expect, test } from 'vitest'
import type { World } from '../../src/onboarding/compose.ts'
import { sweepLinks } from '../../src/onboarding/provisioning/flows/sweep-links.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let removed = false

afterEach(() => world.close())

const removable = ({ integrations }: World) => ({
  integrations: {
    ...integrations,
    find: (id: string) => (removed ? undefined : integrations.find(id)),
    of: (thing: Parameters<typeof integrations.of>[0]) => (removed ? undefined : integrations.of(thing)),
  },
})

test('a link of a removed integration needs attention, and resumes when the integration is restored', async () => {
  removed = false
  world = await startOnboarding({ env: { VERIFY_FUNCTIONS: 'false' }, replace: removable })
  world.platform.fault = () => 503
  const minted = await world.mint()
  await world.complete(minted, (await world.consent(minted)).query)
  await world.sql.query("update links set due_at = now() where state = 'escrowed'")
  removed = true

  await sweepLinks(world.ports, world.settings)
  const [aside] = (await world.api('GET', '/links')).body.data
  world.platform.fault = undefined
  removed = false
  const resumed = await world.api('POST', `/links/${aside.id}/resume`)

  expect(aside).toMatchObject({
    status: 'needs_attention',
    cause: { code: 'integration_removed', whoseMove: 'operator' },
  })
  expect(resumed.body).toMatchObject({ status: 'linked' })
})
