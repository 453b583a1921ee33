// F21 with three processes on the same stores: one clock is right, one is an hour ahead, one is an hour behind.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { beginLink, finishLink } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { clockOff } from '../support/processes/clock-off.ts'
import { type Fleet, type OnboardingProcess, startFleet } from '../support/processes/onboarding-process.ts'

const hour = 60 * 60 * 1_000

let fleet: Fleet
let right: OnboardingProcess
let ahead: OnboardingProcess
let behind: OnboardingProcess

beforeAll(async () => {
  fleet = await startFleet({ env: { VERIFY_FUNCTIONS: 'false' } })
  right = await fleet.start()
  ahead = await fleet.start(clockOff(hour))
  behind = await fleet.start(clockOff(-hour))
  await fleet.putTenant('acme')
}, 120_000)
afterAll(() => fleet.close())

const sendTo = (process: OnboardingProcess) => fleet.front.toward(process.port)

const statesOf = async (session: string) =>
  (await fleet.sql.query('select state, cause from links where session_id = $1', [session])).rows

test('F21, a link that is processed by all three processes ends linked', async () => {
  sendTo(ahead)
  const begun = await beginLink(fleet)
  sendTo(behind)
  const open = await fleet.api('GET', `/connect-sessions/${begun.minted.id}`)
  const back = await begun.browser.get(begun.callback)
  const completionCode = new URL(back.headers.get('location') ?? '/', fleet.url).searchParams.get('completion_code')
  sendTo(right)
  const completed = await fleet.complete(begun.minted, completionCode ?? 'none')

  expect(open.status).toBe(200)
  expect(completed.body).toMatchObject({ status: 'linked' })
})

test('F21, a process does not take over a link whose lease is valid', async () => {
  sendTo(right)
  const begun = await beginLink(fleet)
  const posts = fleet.platform.posts().length
  // Several sweeps of the other processes, within the lease.
  fleet.platform.fault = () => ({ delayMs: 700 })
  await finishLink(fleet, begun)
  fleet.platform.fault = undefined
  await untilQuiet(fleet)

  expect(await statesOf(begun.minted.id)).toEqual([{ state: 'linked', cause: null }])
  expect(fleet.platform.posts().length - posts).toBe(2)
})

test.each([
  ['ahead', hour, () => ahead],
  ['behind', -hour, () => behind],
])('F21, a process whose clock is an hour %s links accounts', async (_where, ms, off) => {
  sendTo(off())

  const begun = await beginLink(fleet)
  await finishLink(fleet, begun)
  await untilQuiet(fleet)

  expect(await statesOf(begun.minted.id)).toEqual([{ state: 'linked', cause: null }])
  expect(await brokenPromises(fleet)).toEqual([])
  // The last line of its log proves that its clock is off.
  const [, time] = /"time":(\d+)[^\n]*\n[^\n]*$/.exec(off().output()) ?? []
  expect(Math.abs(Number(time) - ms - Date.now())).toBeLessThan(hour / 10)
})
