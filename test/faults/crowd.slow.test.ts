// Many links in parallel, while the platform fails at random and while processes are replaced.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Failing, Fault } from '../support/doubles/control-plane.ts'
import { linkPatiently } from '../support/http/patient-user.ts'
import { atPace } from '../support/oracles/at-pace.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'

let fleet: Fleet

beforeAll(async () => {
  fleet = await startFleet({ env: { VERIFY_FUNCTIONS: 'false', LEASE_SECONDS: '20', DATABASE_CONNECTIONS: '20' } })
  await Promise.all([fleet.start(), fleet.start()])
  for (const tenant of tenants) await fleet.putTenant(tenant)
}, 120_000)
afterAll(() => fleet.close())

const tenants = ['acme', 'first', 'second', 'third']

const tenantFor = (at: number) => ({ mint: { tenantId: tenants[at % tenants.length] } })

const states = async () => {
  const { rows } = await fleet.sql.query('select state, count(*)::int as links from links group by state')
  return Object.fromEntries(rows.map(({ state, links }) => [state, links]))
}

test('80 links in parallel end linked, without duplicates, with a platform that fails three requests in ten', async () => {
  fleet.platform.fault = threeInTen()

  await Promise.all(
    Array.from({ length: 80 }, (_, at) => linkPatiently(fleet, { ...tenantFor(at), withinMs: 240_000 })),
  )
  await untilQuiet(fleet, 240_000)

  expect(await states()).toEqual({ linked: 80 })
  expect(await brokenPromises(fleet)).toEqual([])
  fleet.platform.fault = undefined
}, 600_000)

/** Fails at random, but each request at most four times: with backoff, a longer run of bad luck would take minutes. */
function threeInTen(): Fault {
  const failures: Failing[] = [500, 503, 'cut', 'drop', { status: 429, retryAfter: 1 }]
  const failed = new Map<string, number>()
  return ({ method, path, body }) => {
    const what = method === 'POST' ? `${path}/${body?.metadata.name}` : path
    const times = failed.get(what) ?? 0
    if (times === 4 || Math.random() >= 0.3) return undefined
    failed.set(what, times + 1)
    return failures[Math.floor(Math.random() * failures.length)]
  }
}

/** A link sends four requests: session, start, callback and completion. */
const requestsOfLink = 4

/** Fifty requests a second on a schedule. A slow machine skips users above this number of links in progress. */
function startUsers({ perSecond = 50, maxUnderWay = 50 } = {}) {
  let [going, sent, done] = [true, 0, 0]
  const visit = async (nth: number) => {
    if (sent - done >= maxUnderWay) return undefined
    sent++
    return linkPatiently(fleet, { ...tenantFor(nth), withinMs: 120_000 }).finally(() => done++)
  }
  const visits = atPace({ perSecond: perSecond / requestsOfLink, goesOn: () => going }, visit)
  visits.catch(() => {}) // awaited later
  return {
    done: () => done,
    underWay: () => sent - done,
    async stop() {
      going = false
      return (await visits).filter((journey) => journey !== undefined)
    },
  }
}

const requestsOnRecord = () => fleet.logs().match(/"event":"request\.(answered|failed)"/g)?.length ?? 0

// Each process is both an API and a worker.
test('F20, a rolling restart at fifty requests a second loses no link, and each process drains', async () => {
  const [before, onRecord] = [(await states()).linked ?? 0, requestsOnRecord()]
  const users = startUsers()
  await waitFor('users get through', () => users.done() >= 5, { withinMs: 120_000 })

  const replaced = fleet.processes.slice(0, 2)
  for (const old of replaced) {
    await fleet.start()
    await waitFor('somebody is on the way', () => users.underWay() > 0, { everyMs: 1 })
    void old.stop()
    await waitFor('the process has drained', () => !old.running(), { withinMs: 120_000 })
  }
  const journeys = await users.stop()
  await untilQuiet(fleet, 120_000)

  const ends = await Promise.all(replaced.map(({ ended }) => ended))
  expect(ends).toEqual(replaced.map(() => ({ code: 0, signal: null })))
  expect(fleet.processes.filter(({ running }) => running())).toHaveLength(2)
  expect(new Set(journeys.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
  expect(await states()).toEqual({ linked: before + journeys.length })
  expect(await brokenPromises(fleet)).toEqual([])
  await waitFor('every request is on record', () => requestsOnRecord() - onRecord >= requestsOfLink * journeys.length)
  // Open connections may be cut, and a busy machine may answer 503.
  expect(fleet.logs()).not.toMatch(/"status":50[0-2]/)
}, 600_000)
