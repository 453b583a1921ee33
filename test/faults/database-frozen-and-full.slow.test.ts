// F22: PostgreSQL is frozen or has no disk space left.
import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { answered, type Begun, beginLink, finishLink, linkPatiently } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { startStopwatch } from '../support/oracles/stopwatch.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type KillablePostgres, startKillablePostgres, watching } from '../support/processes/killable-stores.ts'
import { type Fleet, type OnboardingProcess, startFleet, untilLink } from '../support/processes/onboarding-process.ts'

// The timeouts of src/kit/database/pool.ts. A request waits for one statement, or for one connection and a statement.
const statementMs = 6_000
const maxMs = statementMs + 5_000 + 500

let fleet: Fleet
let program: OnboardingProcess
let postgres: KillablePostgres

beforeAll(async () => {
  postgres = await startKillablePostgres()
  // The lease outlives the longest wait, as it does by default.
  fleet = await startFleet({ postgres, env: { VERIFY_FUNCTIONS: 'false', LEASE_SECONDS: '30' } })
  program = await fleet.start()
  await fleet.putTenant('acme')
}, 120_000)
afterAll(() => fleet.close())
afterEach(async () => {
  postgres.thaw()
  await untilQuiet(fleet)
  expect(await brokenPromises(fleet)).toEqual([])
  expect(program.running()).toBe(true)
  fleet.provider.calm()
})

/** Broken connections may cost one more attempt. */
const finishPatiently = (begun: Begun) =>
  waitFor('it goes on', async () => {
    const answer = await finishLink(fleet, begun)
    return answer.status === 200 && answer
  })

const isReady = async () => (await fetch(`${fleet.url}/readyz`)).status === 200

test('F22, frozen: requests get 503 in time, no user is sent to the provider, and flows resume when it thaws', async () => {
  const { minted } = await fleet.tryMint()
  const begun = await beginLink(fleet)
  const authorizations = fleet.provider.seen.authorizations.length
  const stopwatch = await startStopwatch(() => fetch(`${program.url}/healthz`).then((answer) => answer.text()))
  onTestFinished(stopwatch.stop)
  await postgres.freeze()

  const asked = [
    () => fleet.tryMint(),
    () => new HttpBrowser().post(minted.url),
    () => begun.browser.get(begun.callback),
    () => new HttpBrowser().get(minted.url),
    () => fetch(`${fleet.url}/readyz`),
  ]
  const answers = await Promise.all(asked.map((ask) => stopwatch.time<{ status: number }>(ask)))
  postgres.thaw()
  await waitFor('readiness', isReady)
  const started = await answered('started', () => new HttpBrowser().post(minted.url))
  const finished = await finishPatiently(begun)

  expect(answers.map(({ answer }) => answer.status)).toEqual([503, 503, 503, 503, 503])
  expect(Math.max(...answers.map(({ ms }) => ms))).toBeLessThan(maxMs)
  expect(fleet.provider.seen.authorizations).toHaveLength(authorizations)
  expect(started.status).toBe(200)
  expect(finished.body).toMatchObject({ status: 'linked' })
  expect(fleet.provider.seen.tokenRequests).toHaveLength(1)
}, 120_000)

test('F22, frozen while a token response arrives: the response is stored once, when the database thaws', async () => {
  let frozen = false
  fleet.provider.misbehave({
    token: async ({ body }) => {
      await postgres.freeze()
      frozen = true
      return { body }
    },
  })

  const begun = await beginLink(fleet)
  const finishing = finishLink(fleet, begun)
  await waitFor('the answer is on its way', () => frozen)
  await pause(statementMs + 500) // the first attempt has timed out, but runs when the server thaws
  postgres.thaw()
  await finishing

  await untilLink(fleet, begun.minted, ['linked'], 60_000)
  expect(fleet.provider.seen.revocations).toEqual([])
  expect(fleet.provider.seen.tokenRequests).toHaveLength(1)
}, 120_000)

test('F22, one of its processes frozen: the client of that process retries, and all others are served', async () => {
  await linkPatiently(fleet)
  await postgres.freeze('one connection')

  const answers = await Promise.all(Array.from({ length: 20 }, () => fleet.tryMint()))
  const { minted } = await linkPatiently(fleet)

  for (const { status } of answers) expect([201, 503]).toContain(status)
  expect(answers.some(({ status }) => status === 201)).toBe(true)
  await untilLink(fleet, minted, ['linked'])
}, 120_000)

test.skipIf(!canLimitFiles())(
  'F22, no disk space: no session is created, no user is sent away, no code is spent, and work resumes later',
  async () => {
    const { minted } = await fleet.tryMint()
    const begun = await beginLink(fleet)
    const back = await begun.browser.get(begun.callback)
    const completionCode = new URL(back.headers.get('location') ?? '').searchParams.get('completion_code') ?? ''
    const other = await beginLink(fleet)
    const authorizations = fleet.provider.seen.authorizations.length
    onTestFinished(makeRoom)
    await fillRecord()

    const [mint, start, callback, completed, page] = await Promise.all([
      fleet.tryMint(),
      new HttpBrowser().post(minted.url),
      other.browser.get(other.callback),
      fleet.complete(begun.minted, completionCode),
      new HttpBrowser().get(minted.url),
    ])
    const spent = fleet.provider.seen.tokenRequests.length
    await makeRoom()
    const first = await answered('completed', () => fleet.complete(begun.minted, completionCode))
    const second = await finishPatiently(other)

    expect([mint.status, mint.body.code, start.status, callback.status]).toEqual([503, 'store_unavailable', 503, 503])
    expect([completed.status, completed.body.code]).toEqual([503, 'store_unavailable'])
    expect([start.headers.get('refresh'), callback.headers.get('location')]).toEqual([null, null])
    expect(page.status).toBe(200)
    expect([fleet.provider.seen.authorizations.length, spent]).toEqual([authorizations, 0])
    for (const { body } of [first, second]) expect(body).toMatchObject({ status: 'linked' })
  },
  120_000,
)

const maxBytes = 20 * 1024 * 1024 // more than a file of the write-ahead log, which must stay writable

/** Fills the audit table to its size limit, up to the last gap in its last page. */
async function fillRecord() {
  await fleet.sql.query(`
    insert into audit (action, actor_kind, reason)
    select 'filler', 'operator', repeat('x', 60) from generate_series(1, 200000)`)
  await postgres.limitFiles(maxBytes)
  fleet.databaseLine.cutOpen()
  await endUnlimited()
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const note = () => client.query("insert into audit (action, actor_kind) values ('filler', 'operator')")
  await waitFor(
    'it is full',
    () =>
      note().then(
        () => false,
        (error: Error) => /could not extend file/.test(error.message),
      ),
    { everyMs: 0 },
  )
  await client.end()
  await endUnlimited() // including one that was still starting when the others ended
  await waitFor('it has connections again', async () => (await fetch(`${fleet.url}/readyz`)).ok)
}

/** Only processes started from now on have the limit. */
const endUnlimited = () =>
  fleet.sql.query(
    `select pg_terminate_backend(pid, 5000) from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> $1`,
    [watching],
  )

async function makeRoom() {
  await postgres.limitFiles('unlimited')
  fleet.databaseLine.cutOpen()
}

/** Linux can change the limits of a running process. */
function canLimitFiles(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
