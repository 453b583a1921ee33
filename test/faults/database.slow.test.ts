// PostgreSQL is killed, down, hung or read-only. Without the ledger, no link starts and no code is spent.
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { answered, type Begun, beginLink, finishLink, linkPatiently } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { startStopwatch } from '../support/oracles/stopwatch.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type KillablePostgres, startKillablePostgres } from '../support/processes/killable-stores.ts'
import { type Fleet, type OnboardingProcess, startFleet, untilLink } from '../support/processes/onboarding-process.ts'

let fleet: Fleet
let program: OnboardingProcess
let postgres: KillablePostgres

beforeAll(async () => {
  postgres = await startKillablePostgres()
  fleet = await startFleet({ postgres, env: { VERIFY_FUNCTIONS: 'false' } })
  program = await fleet.start()
  await fleet.putTenant('acme')
}, 120_000)
afterAll(() => fleet.close())
afterEach(async () => {
  await untilQuiet(fleet)
  expect(await brokenPromises(fleet)).toEqual([])
  expect(program.running()).toBe(true)
  fleet.provider.calm()
})

async function expectNothingBegins(minted: { url: string }) {
  const [mint, start] = await Promise.all([fleet.tryMint(), new HttpBrowser().post(minted.url)])
  expect([mint.status, mint.body.code, start.status]).toEqual([503, 'store_unavailable', 503])
  expect(mint.headers.get('retry-after')).toBe('5')
  expect(start.headers.get('refresh')).toBeNull()
}

async function expectLinks() {
  const { minted } = await linkPatiently(fleet)
  await untilLink(fleet, minted, ['linked'])
}

test('F22, killed: no user is sent to a provider, no code is spent, and work resumes when it is back', async () => {
  const { minted } = await fleet.tryMint()
  const begun = await beginLink(fleet)
  await postgres.kill()

  await expectNothingBegins(minted)
  const [callback, readiness] = [await begun.browser.get(begun.callback), await fetch(`${fleet.url}/readyz`)]
  await postgres.start()
  const finished = await waitFor('it is back', async () => {
    const answer = await finishLink(fleet, begun)
    return answer.status === 200 && answer
  })

  expect([callback.status, readiness.status]).toEqual([503, 503])
  expect(finished.body).toMatchObject({ status: 'linked' })
  expect(fleet.provider.seen.tokenRequests).toHaveLength(1)
}, 120_000)

test('F22, killed while a token response arrives: the response is stored when the database is back', async () => {
  let back = Promise.resolve(false)
  fleet.provider.misbehave({
    token: async ({ body }) => {
      await postgres.kill()
      back = postgres.start()
      return { body }
    },
  })

  const begun = await beginLink(fleet)
  await finishLink(fleet, begun)
  await back

  await untilLink(fleet, begun.minted, ['linked'])
  expect(fleet.provider.seen.revocations).toEqual([])
}, 120_000)

test('F22, down for long while a token response arrives: a grant that cannot be stored is revoked', async () => {
  fleet.provider.misbehave({
    token: async ({ body }) => {
      await postgres.kill()
      // A write on a connection that looks alive might have arrived, and such a grant is kept.
      const isKnown = async () => (await fetch(`${fleet.url}/readyz`)).status === 503
      await waitFor('the program knows that it is down', isKnown)
      return { body }
    },
  })

  const begun = await beginLink(fleet)
  await untilCodeIsSent(begun)
  await waitFor('it is revoked', () => fleet.provider.seen.revocations.length > 0, { withinMs: 110_000 })
  await postgres.start()
  // Expire the lease.
  await fleet.sql.query('update links set due_at = now() where session_id = $1', [begun.minted.id])

  await untilLink(fleet, begun.minted, ['exchange_unknown'])
  expect(fleet.provider.issued.at(-1)).toMatchObject({ revoked: true })
}, 180_000)

test('F22, hung: requests are answered within seconds, and broken connections are not reused', async () => {
  const { minted } = await answered('minted', () => fleet.tryMint())
  const stopwatch = await startStopwatch(() => fetch(`${program.url}/healthz`).then((answer) => answer.text()))
  onTestFinished(stopwatch.stop)
  fleet.databaseLine.blackhole()

  const { ms } = await stopwatch.time(() => expectNothingBegins(minted))
  await fleet.databaseLine.pass()

  expect(ms).toBeLessThan(12_000)
  await expectLinks()
}, 120_000)

test('F22, a read-only standby: 503, and no link starts', async () => {
  const { minted } = await answered('minted', () => fleet.tryMint())
  await setReadOnly('on')

  await expectNothingBegins(minted)
  await setReadOnly('off')

  await expectLinks()
}, 120_000)

/** Retries: the previous kill may have left broken connections in the pool. */
const untilCodeIsSent = (begun: Begun) =>
  waitFor('the code is sent', async () => {
    await finishLink(fleet, begun).catch(() => {})
    return fleet.provider.seen.tokenRequests.length > 0
  })

/** Applies to new connections only, so open ones are cut. */
async function setReadOnly(state: 'on' | 'off') {
  await fleet.sql.query('set default_transaction_read_only = off')
  await fleet.sql.query(`alter database onboarding set default_transaction_read_only = ${state}`)
  fleet.databaseLine.cutOpen()
}
