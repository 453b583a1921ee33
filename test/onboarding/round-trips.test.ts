// What a link costs in round trips, where no promise needs more: completion and verification are off.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { countedPostgres, watchedRedis } from '../support/oracles/counted-stores.ts'
import { createTestDatabase } from '../support/processes/stores.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let ledger: Awaited<ReturnType<typeof countedPostgres>>
let redis: Awaited<ReturnType<typeof watchedRedis>>

beforeAll(async () => {
  ledger = await countedPostgres(await createTestDatabase('onboarding'))
  const env = { DATABASE_URL: ledger.url, CONNECT_COMPLETION: 'optional', VERIFY_FUNCTIONS: 'false' }
  world = await startOnboarding({ env })
  redis = await watchedRedis(world.redis.url)
})
afterAll(async () => {
  redis.close()
  await world.close()
  ledger.close()
})

/** Without what every process adds up four times a second, whether there are links or not. */
const commandsOfLinks = async () =>
  (await redis.take()).filter((args) => !args.some((part) => part.startsWith('rate:onboarding:')))

/** One link, and what each half of it cost. */
async function costs() {
  const { url } = await world.mint({ completionChallenge: undefined })
  const browser = new HttpBrowser()
  await redis.take()
  const before = ledger.ended()
  const page = await browser.post(url)
  const start = { redis: await commandsOfLinks(), ledger: ledger.ended() - before }
  const atCallback = await browser.follow(page, `${world.url}/oauth/callback`)
  const returned = await browser.get(atCallback.url)
  const status = new URL(returned.headers.get('location') ?? '', world.url).searchParams.get('status')
  const callback = { redis: await commandsOfLinks(), ledger: ledger.ended() - before - start.ledger }
  return { status, start, callback }
}

test('a link takes at most two commands of Redis to start and two at the callback, and five commits in all', async () => {
  // What is kept in memory has been read by the first. On a machine that pauses it may be stale again, or the platform
  // be taken for a slow one, whose answers are written down one by one: the cheapest is the one without pauses.
  const links = []
  for (let count = 0; count < 5; count++) links.push(await costs())

  const linked = links.filter(({ status }) => status === 'linked')
  const seen = linked.map(({ start, callback }) => Math.min(start.redis.length, callback.redis.length))
  expect(Math.min(...seen)).toBeGreaterThan(0) // or nobody watched
  expect(Math.min(...linked.map(({ start }) => start.redis.length))).toBeLessThanOrEqual(2)
  expect(Math.min(...linked.map(({ callback }) => callback.redis.length))).toBeLessThanOrEqual(2)
  expect(Math.min(...linked.map(({ start, callback }) => start.ledger + callback.ledger))).toBeLessThanOrEqual(5)
})

test("a provider's metadata and keys are asked for once, however many links there are", async () => {
  for (let links = 0; links < 2; links++) await costs()

  expect(world.provider.seen.documents.sort()).toEqual(['/.well-known/openid-configuration', '/jwks'])
})
