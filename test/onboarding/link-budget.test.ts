// The cost of a link for its stores, with completion and verification off. The counts do not depend on the load of the
// machine. docs/performance.md explains them.
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type EmbeddedPostgres, startPostgres } from '../../src/kit/embedded/postgres.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { countedPostgres, ledgerWrites, watchedRedis } from '../support/oracles/counted-stores.ts'
import { countedWaits } from '../support/oracles/counted-waits.ts'
import { createRedisDatabase, temporaryFolder } from '../support/processes/stores.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let server: EmbeddedPostgres
let world: OnboardingWorld
let ledger: Awaited<ReturnType<typeof countedPostgres>>
let redis: Awaited<ReturnType<typeof watchedRedis>>
let asking: pg.Client
const counting = countedWaits()

beforeAll(async () => {
  // A separate server, because the WAL is shared by all databases. Full-page writes would depend on the last
  // checkpoint.
  const settings = { fsync: 'off', full_page_writes: 'off', autovacuum: 'off', checkpoint_timeout: '1h' }
  server = await startPostgres({ folder: join(temporaryFolder(), 'postgres'), settings })
  await server.createDatabase('budget')
  ledger = await countedPostgres(server.url('budget'))
  const redisUrl = await createRedisDatabase()
  const stores = {
    DATABASE_URL: await counting.through(ledger.url),
    REDIS_URL: await counting.through(redisUrl),
  }
  const env = { ...stores, CONNECT_COMPLETION: 'optional', VERIFY_FUNCTIONS: 'false' }
  world = await startOnboarding({ env })
  counting.watch(world.provider.url)
  counting.watch(world.platform.url)
  redis = await watchedRedis(redisUrl)
  asking = new pg.Client({ connectionString: server.url('budget') })
  await asking.connect()
})
afterAll(async () => {
  redis.close()
  await asking.end()
  await world.close()
  counting.close()
  ledger.close()
  await server.stop()
})

/** Without what every process adds up four times a second, whether there are links or not. */
const commandsOfLinks = async () =>
  (await redis.take()).filter((args) => !args.some((part) => part.startsWith('rate:onboarding:')))

const lengthOf = (commands: string[][]) => commands.flat().join('').length

/** One link, and what each half of it cost after its page was shown. */
async function costs(url: string) {
  const browser = new HttpBrowser()
  await browser.get(url)
  await redis.take()
  const before = ledger.seen()
  const waitsBefore = counting.waits()
  const page = await browser.post(url)
  const waitsOfStart = counting.waits() - waitsBefore
  const start = { redis: await commandsOfLinks(), ledger: ledger.seen() }
  const atCallback = await browser.follow(page, `${world.url}/oauth/callback`)
  const waitsBeforeCallback = counting.waits()
  const returned = await browser.get(atCallback.url)
  const waitsOfCallback = counting.waits() - waitsBeforeCallback
  const status = new URL(returned.headers.get('location') ?? '', world.url).searchParams.get('status')
  const callback = { redis: await commandsOfLinks(), ledger: ledger.seen() }
  return {
    status,
    start: { waits: waitsOfStart, commands: start.redis.length, ...between(before, start.ledger) },
    callback: { waits: waitsOfCallback, commands: callback.redis.length, ...between(start.ledger, callback.ledger) },
    redisBytes: lengthOf(start.redis) + lengthOf(callback.redis),
  }
}

function between<Counts extends Record<string, number>>(before: Counts, after: Counts): Counts {
  const differences = Object.entries(after).map(([name, count]) => [name, count - (before[name] ?? 0)])
  return Object.fromEntries(differences)
}

/** The first link fills the caches. */
async function links(urls: string[]) {
  const all = []
  for (const url of urls) all.push(await costs(url))
  return all
}

/** As the API makes them by default: a link is compared with the user's other accounts. */
const asIs = { completionChallenge: undefined, ifConnected: undefined }
let users = 0

const sessions = async (count: number) =>
  Promise.all(
    Array.from({ length: count }, async () => {
      const endUser = { id: `budget-${++users}`, email: 'user@acme.example' }
      return (await world.mint({ ...asIs, endUser })).url
    }),
  )

test('a link waits seven times: once at the start and six times at the callback', async () => {
  const all = await links(await sessions(5))

  expect(all.map(({ status }) => status)).toEqual(Array(5).fill('linked'))
  // The minimum excludes links during which the machine paused: caches expire then, or a slow platform adds writes.
  const least = (read: (link: Awaited<ReturnType<typeof costs>>) => number) => Math.min(...all.map(read))
  expect(least(({ start }) => start.waits)).toBe(1)
  expect(least(({ callback }) => callback.waits)).toBe(6)
  expect(least(({ start }) => start.commands)).toBe(1)
  // The claim of the state, and the mark that the code is sent.
  expect(least(({ callback }) => callback.commands)).toBe(2)
  expect(least(({ start }) => start.roundTrips)).toBe(1)
  expect(least(({ callback }) => callback.roundTrips)).toBe(3)
  expect(least(({ start, callback }) => start.statements + callback.statements)).toBe(5)
  expect(least(({ start, callback }) => start.transactions + callback.transactions)).toBe(4)
  expect(least(({ start, callback }) => start.bytes + callback.bytes)).toBeLessThan(5_000)
  expect(least(({ redisBytes }) => redisBytes)).toBeLessThan(2_000)
})

test('a link writes no more rows and log entries than its guarantees need', async () => {
  await links(await sessions(5))
  const urls = await sessions(20)
  const before = await ledgerWrites(asking)
  await links(urls)
  const after = await ledgerWrites(asking)

  const perLink = Object.fromEntries(
    Object.entries(between(before, after)).map(([name, written]) => [name, written / urls.length]),
  )
  // The link, three audit entries, the escrow, the connection, its grant and the event; the link moves three times; the
  // escrow is wiped. If the machine pauses, the function is written separately.
  expect(perLink.inserted).toBeLessThan(9)
  expect(perLink.updated).toBeLessThan(4)
  expect(perLink.deleted).toBe(1)
  expect(perLink.walBytes).toBeLessThan(13_800)
})

test('a link’s rows refer to existing rows, without foreign keys', async () => {
  await links(await sessions(1))

  const { rows } = await asking.query(`
    select
      (select count(*) from links where tenant not in (select id from tenants)) as tenant_of_link,
      (select count(*) from links where session_id not in (select id from connect_sessions)) as session_of_link,
      (select count(*) from connections where tenant not in (select id from tenants)) as tenant_of_connection,
      (select count(*) from outbox where tenant not in (select id from tenants)) as tenant_of_event,
      (select count(*) from stored_grants where link_id not in (select id from links)) as link_of_grant,
      (select count(*) from stored_grants where connection_id not in (select id from connections)) as connection_of_grant,
      (select count(*) from stored_grants) > 0 as has_grants`)
  const { has_grants: hasGrants, ...dangling } = rows[0]
  expect(hasGrants).toBe(true)
  expect(new Set(Object.values(dangling))).toEqual(new Set(['0']))
})

test("a provider's metadata and keys are requested once, however many links there are", async () => {
  await links(await sessions(2))

  expect(world.provider.seen.documents.sort()).toEqual(['/.well-known/openid-configuration', '/jwks'])
})
