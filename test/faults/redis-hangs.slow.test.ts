// F03: Redis hangs for half a minute under load. Requests are answered, and memory and handles stay bounded.
import { readdirSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { beginLink, finishLink, linkPatiently } from '../support/http/patient-user.ts'
import { atPace } from '../support/oracles/at-pace.ts'
import { brokenPromises } from '../support/oracles/checker.ts'
import { startStopwatch } from '../support/oracles/stopwatch.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, type OnboardingProcess, startFleet, untilLink } from '../support/processes/onboarding-process.ts'

const seconds = 30
const perSecond = 50

let fleet: Fleet
let program: OnboardingProcess

beforeAll(async () => {
  fleet = await startFleet({ env: { VERIFY_FUNCTIONS: 'false' } })
  program = await fleet.start()
  await fleet.putTenant('acme')
}, 120_000)
afterAll(() => fleet.close())

test('F03, frozen for half a minute at fifty requests a second: each request is answered soon, and no backlog builds up', async () => {
  const { minted } = await fleet.tryMint()
  const begun = await beginLink(fleet)
  const link = await fleet.linkOf(begun.minted)
  // A start that Redis interrupts is continued by its own browser only.
  const fresh: string[] = []
  while (fresh.length < (seconds * perSecond) / 6) fresh.push((await fleet.tryMint()).minted.url)
  const needsRedis = [
    () => fleet.tryMint(),
    () => new HttpBrowser().post(fresh.pop() as string),
    () => begun.browser.get(begun.callback),
    () => fetch(`${fleet.url}/readyz`),
  ]
  const showPage = () => new HttpBrowser().get(minted.url)
  const ledgerAlone = [showPage, () => begun.browser.get(`${fleet.url}/links/${link?.id}`)]
  const stopwatch = await startStopwatch(showPage)
  const before = sizeOf(program)
  fleet.redis.freeze()

  const sizes: Size[] = []
  let underWay = 0
  const pace = { perSecond, goesOn: (sent: number) => sent < seconds * perSecond }
  const sent = await atPace(pace, async (nth) => {
    if (nth % perSecond === 0) sizes.push(sizeOf(program))
    // A machine that is too slow for the pace skips requests. A hang would never end those under way.
    if (underWay >= maxUnderWay) return undefined
    underWay++
    const asked = [...needsRedis, ...ledgerAlone]
    const at = nth % asked.length
    const { answer, ms } = await stopwatch.time(asked[at] as () => Promise<{ status: number }>)
    underWay--
    return { status: answer.status, ms, expected: at < needsRedis.length ? 503 : 200 }
  })
  const answers = sent.filter((answer) => answer !== undefined)
  fleet.redis.thaw()
  await stopwatch.stop()
  await waitFor('readiness', async () => (await fetch(`${fleet.url}/readyz`)).status === 200)
  const finished = await finishLink(fleet, begun)

  expect(answers.length).toBeGreaterThan(maxUnderWay)
  expect(answers.filter(({ status, expected }) => status !== expected)).toEqual([])
  // Not the slowest one: a busy machine delays single requests, a hang would delay all that need Redis.
  const sorted = answers.map(({ ms }) => ms).sort((one, other) => one - other)
  expect(sorted[Math.floor(sorted.length * 0.95)]).toBeLessThan(3_000)
  expectBounded(before, sizes)
  expect(finished.body).toMatchObject({ status: 'linked' })
  const after = await linkPatiently(fleet)
  await untilLink(fleet, after.minted, ['linked'])
  fleet.front.cutOpen() // connections that clients keep alive don't count
  const pooled = 20 // connections to database and platform stay open after use
  await waitFor('handles are back where they were', () => sizeOf(program).handles <= before.handles + pooled)
  expect(await brokenPromises(fleet)).toEqual([])
}, 180_000)

type Size = { megabytes: number; handles: number }

/** Reads the process's figures from the kernel. Without /proc (macOS) nothing is compared. */
function sizeOf({ pid }: OnboardingProcess): Size {
  try {
    const [, kilobytes = '0'] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
    return { megabytes: Number(kilobytes) / 1_024, handles: readdirSync(`/proc/${pid}/fd`).length }
  } catch {
    return { megabytes: 0, handles: 0 }
  }
}

/** A request takes 3 s at most. */
const maxUnderWay = 3 * perSecond

/** Connections stay open for a while after a request. */
const maxAtOnce = 5 * perSecond

function expectBounded(before: Size, sizes: readonly Size[]) {
  const max = (part: keyof Size) => Math.max(...sizes.map((size) => size[part] - before[part]))
  expect(sizes).toHaveLength(seconds)
  // Each has a connection, with another for its end; 1,500 requests that stay would have ten times as many.
  expect(max('handles')).toBeLessThan(2 * maxAtOnce)
  // A young process takes some tens of megabytes before it collects; 1,500 requests that stay would take more.
  expect(max('megabytes')).toBeLessThan(96)
  const [early, late] = [sizes.slice(0, seconds / 2), sizes.slice(seconds / 2)].map((half) =>
    Math.max(...half.map(({ handles }) => handles)),
  ) as [number, number]
  expect(late, 'handles do not grow with time').toBeLessThan(early + maxAtOnce)
}
