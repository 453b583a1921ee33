// F15: a crash between every two effects of a re-link and of its rollback.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { grantRevoked } from '../support/doubles/control-plane.ts'
import { relinkPatiently } from '../support/http/patient-user.ts'
import { type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'
import type { Fleet } from '../support/processes/onboarding-process.ts'

/** The function works only with the first grant. */
const refusesTheNewGrant = (fleet: Fleet) => () => {
  const first = fleet.provider.issued.at(-1)?.token
  fleet.platform.tool = ({ REFRESH_TOKEN }) => (REFRESH_TOKEN === first ? undefined : grantRevoked)
}

const ways = [
  {
    way: 'with PUT on the same connection',
    put: true,
    onTheWay: [
      'before.links.testing',
      'before.provider.refresh',
      'before.provider.refresh.keep',
      'before.links.tested',
      'before.platform.replaceConnection',
      'before.platform.tryTool',
      'before.links.verified',
      'after.links.verified',
    ],
    rollingBack: ['before.links.rolling_back', 'after.platform.replaceConnection:2'],
  },
  {
    way: 'with a second connection',
    put: false,
    onTheWay: ['before.platform.pointFunction', 'before.platform.deleteConnection', 'after.platform.deleteConnection'],
    rollingBack: ['after.links.rolling_back', 'after.platform.pointFunction:2', 'after.platform.deleteConnection'],
  },
]

describe.each(ways)('$way', ({ put, onTheWay, rollingBack }) => {
  let lanes: CrashLanes

  beforeAll(async () => {
    lanes = await openCrashLanes({ count: 2, put, inner: true })
  }, 120_000)
  afterAll(() => lanes.close())

  test.concurrent.each(onTheWay)(
    'the re-link ends linked and revokes the old grant after a crash at %s',
    async (at) => {
      const link = await lanes.crash({ at, travel: (fleet) => relinkPatiently(fleet) })

      expect(link?.state).toBe('linked')
    },
    240_000,
  )

  test.concurrent.each(rollingBack)(
    'the function uses the old grant after a crash at %s during the rollback',
    async (at) => {
      const link = await lanes.crash({ at, travel: (fleet) => relinkPatiently(fleet, refusesTheNewGrant(fleet)) })

      expect(link).toMatchObject({ state: 'failed', cause: 'relink_rolled_back' })
    },
    240_000,
  )
})
