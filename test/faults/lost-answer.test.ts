// A commit that happened and whose answer never came: the program must look before it concludes anything.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { StoreUnavailable } from '../../src/kit/database/store-errors.ts'
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

test('when the answer to keeping a grant is lost, the grant is found in escrow, put to work and not revoked', async () => {
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  lose = 'escrowed'

  const { body } = await world.complete(minted, query)

  expect(body).toMatchObject({ status: 'linked' })
  expect(world.provider.seen.revocations).toEqual([])
  expect(world.provider.seen.tokenRequests).toHaveLength(1)
})

test.each(['connection_ready', 'linked'])(
  'when the answer to the move to %s is lost, the sweep goes on from there',
  async (to) => {
    const minted = await world.mint()
    const { query } = await world.consent(minted)
    lose = to
    // Only a function that does not come at once makes the connection a move of its own.
    const isFunctionDown = to === 'connection_ready'
    world.platform.fault = ({ path }) => (isFunctionDown && path.endsWith('/functions') ? 503 : undefined)

    const { status } = await world.complete(minted, query)
    world.platform.fault = undefined
    await world.sql.query('update links set due_at = now() where due_at is not null and session_id = $1', [minted.id])
    await world.flows.sweepLinks()

    expect(status).toBe(503)
    const { rows } = await world.sql.query('select state from links where session_id = $1', [minted.id])
    expect(rows).toEqual([{ state: 'linked' }])
    expect(world.platform.connections.size).toBe(world.platform.functions.size)
  },
)

test('when the answer to the intent is lost, the code is not sent, and the link says that nobody knows', async () => {
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  const requests = world.provider.seen.tokenRequests.length
  lose = 'exchanging'

  const first = await world.complete(minted, query)
  const again = await world.complete(minted, query)
  await world.sql.query('update links set due_at = now() where session_id = $1', [minted.id])
  await world.flows.sweepLinks()

  expect([first.status, again.status]).toEqual([503, 409])
  expect(world.provider.seen.tokenRequests).toHaveLength(requests)
  const { rows } = await world.sql.query('select state from links where session_id = $1', [minted.id])
  expect(rows).toEqual([{ state: 'exchange_unknown' }])
})
