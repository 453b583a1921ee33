// F15: a crash just before and just after each thing the program does for a re-link, the good way and the way back.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantRevoked } from '../support/doubles/control-plane.ts'
import { relinkPatiently } from '../support/http/patient-user.ts'
import { type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'
import type { Fleet } from '../support/processes/onboarding-process.ts'

/** The function works with the first grant alone. */
const refusesTheNewGrant = (fleet: Fleet) => () => {
  const first = fleet.provider.issued.at(-1)?.token
  fleet.platform.tool = ({ REFRESH_TOKEN }) => (REFRESH_TOKEN === first ? undefined : grantRevoked)
}

describe('where secrets can be replaced', () => {
  let lanes: CrashLanes

  beforeAll(async () => {
    lanes = await openCrashLanes({ count: 2, inner: true })
  }, 120_000)
  afterAll(() => lanes.close())

  test.concurrent.each([
    'before.links.testing',
    'after.links.testing',
    'before.provider.refresh',
    'before.provider.keep_trial_refresh',
    'after.provider.keep_trial_refresh',
    'after.provider.refresh',
    'before.links.tested',
    'after.links.tested',
    'before.platform.replacement',
    'after.platform.replacement',
    'before.platform.trial',
    'after.platform.trial',
    'before.links.verified',
    'after.links.verified',
  ])(
    'killed at %s, the re-link still ends linked, and the old grant is revoked',
    async (at) => {
      const link = await lanes.crash({ at, travel: (fleet) => relinkPatiently(fleet) })

      expect(link?.state).toBe('linked')
    },
    240_000,
  )

  test.concurrent.each(['before.links.rolling_back', 'after.links.rolling_back', 'after.platform.replacement:2'])(
    'killed at %s on the way back, the connection has its old grant again',
    async (at) => {
      const link = await lanes.crash({
        at,
        travel: (fleet) => relinkPatiently(fleet, refusesTheNewGrant(fleet)),
      })

      expect(link).toMatchObject({ state: 'failed', cause: 'relink_rolled_back' })
    },
    240_000,
  )
})

describe('where a second connection is made', () => {
  let lanes: CrashLanes

  beforeAll(async () => {
    lanes = await openCrashLanes({ count: 2, put: false, inner: true })
  }, 120_000)
  afterAll(() => lanes.close())

  test.concurrent.each([
    'before.platform.pointing',
    'after.platform.pointing',
    'before.platform.connection_removal',
    'after.platform.connection_removal',
  ])(
    'killed at %s, the re-link still ends linked with one connection',
    async (at) => {
      const link = await lanes.crash({ at, travel: (fleet) => relinkPatiently(fleet) })

      expect(link?.state).toBe('linked')
    },
    240_000,
  )

  test.concurrent.each(['after.links.rolling_back', 'after.platform.pointing:2', 'after.platform.connection_removal'])(
    'killed at %s on the way back, the function names the old connection again',
    async (at) => {
      const link = await lanes.crash({
        at,
        travel: (fleet) => relinkPatiently(fleet, refusesTheNewGrant(fleet)),
      })

      expect(link).toMatchObject({ state: 'failed', cause: 'relink_rolled_back' })
    },
    240_000,
  )
})
