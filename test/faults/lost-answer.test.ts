// The database commits, but the response is lost: the program must read the row before it decides.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreUnavailable } from '../../src/kit/database/store-errors.ts'
import { sweepLinks } from '../../src/onboarding/provisioning/flows/sweep-links.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let lose = ''

beforeAll(async () => {
  world = await startOnboarding({
    env: { VERIFY_FUNCTIONS: 'false' },
    replace: ({ links }) => ({
      links: {
        ...links,
        async move(link, to, ...rest) {
          const moved = await links.move(link, to, ...rest)
          if (to !== lose) return moved
          lose = ''
          throw new StoreUnavailable(new Error('Connection terminated unexpectedly'))
        },
      },
    }),
  })
})
afterAll(() => world.close())

test('a grant is found in escrow, used and not revoked when the response of its insert is lost', async () => {
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  lose = 'escrowed'

  const { body } = await world.complete(minted, query)

  expect(body).toMatchObject({ status: 'linked' })
  expect(world.provider.seen.revocations).toEqual([])
  expect(world.provider.seen.tokenRequests).toHaveLength(1)
})

test.each(['connection_ready', 'linked'])(
  'the sweep continues from %s when the response of that move is lost',
  async (to) => {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    lose = to
    // The move to connection_ready is written only if the platform does not create the function at once.
    const isFunctionDown = to === 'connection_ready'
    world.platform.fault = ({ path }) => (isFunctionDown && path.endsWith('/functions') ? 503 : undefined)

    const { status } = await world.complete(minted, query)
    world.platform.fault = undefined
    await world.sql.query('update links set due_at = now() where due_at is not null and session_id = $1', [minted.id])
    await sweepLinks(world.ports, world.settings)

    expect(status).toBe(503)
    const { rows } = await world.sql.query('select state from links where session_id = $1', [minted.id])
    expect(rows).toEqual([{ state: 'linked' }])
    expect(world.platform.connections.size).toBe(world.platform.functions.size)
  },
)

test('the code is not sent, and the link ends exchange_unknown, when the response of the intent is lost', async () => {
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  const requests = world.provider.seen.tokenRequests.length
  lose = 'exchanging'

  const first = await world.complete(minted, query)
  const again = await world.complete(minted, query)
  await world.sql.query('update links set due_at = now() where session_id = $1', [minted.id])
  await sweepLinks(world.ports, world.settings)

  expect([first.status, again.status]).toEqual([503, 409])
  expect(world.provider.seen.tokenRequests).toHaveLength(requests)
  const { rows } = await world.sql.query('select state from links where session_id = $1', [minted.id])
  expect(rows).toEqual([{ state: 'exchange_unknown' }])
})
