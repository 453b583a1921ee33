// PostgreSQL killed, away, hung and read-only. It is the ledger: without it nothing begins and no code is spent.
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

test('F22, killed: nobody is sent to a provider, no code is spent, and work goes on when it is back', async () => {
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

test('F22, killed while a token answer arrives: it is kept as soon as the database is back', async () => {
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

test('F22, away for long while a token answer arrives: what cannot be stored is revoked', async () => {
  fleet.provider.misbehave({
    token: async ({ body }) => {
      await postgres.kill()
      return { body }
    },
  })

  const begun = await beginLink(fleet)
  await untilCodeIsSent(begun)
  await waitFor('it is revoked', () => fleet.provider.seen.revocations.length > 0, { withinMs: 60_000 })
  await postgres.start()
  // As if the lease had run out.
  await fleet.sql.query('update links set due_at = now() where session_id = $1', [begun.minted.id])

  await untilLink(fleet, begun.minted, ['exchange_unknown'])
  expect(fleet.provider.issued.at(-1)).toMatchObject({ revoked: true })
}, 120_000)

test('F22, hung: requests are answered within seconds, and lost connections are not used again', async () => {
  const { minted } = await answered('minted', () => fleet.tryMint())
  const stopwatch = await startStopwatch(() => fetch(`${program.url}/healthz`).then((answer) => answer.text()))
  onTestFinished(stopwatch.stop)
  fleet.databaseLine.blackhole()

  const { ms } = await stopwatch.time(() => expectNothingBegins(minted))
  await fleet.databaseLine.pass()

  expect(ms).toBeLessThan(12_000)
  await expectLinks()
}, 120_000)

test('F22, a standby that takes no writes yet: 503, and nothing begins', async () => {
  const { minted } = await answered('minted', () => fleet.tryMint())
  await setReadOnly('on')

  await expectNothingBegins(minted)
  await setReadOnly('off')

  await expectLinks()
}, 120_000)

/** The kill before this one may have left connections that nobody has missed yet: then it is tried again. */
const untilCodeIsSent = (begun: Begun) =>
  waitFor('the code is sent', async () => {
    await finishLink(fleet, begun).catch(() => {})
    return fleet.provider.seen.tokenRequests.length > 0
  })

/** For connections from now on, so those that are open are cut. */
async function setReadOnly(state: 'on' | 'off') {
  await fleet.sql.query('set default_transaction_read_only = off')
  await fleet.sql.query(`alter database onboarding set default_transaction_read_only = ${state}`)
  fleet.databaseLine.cutOpen()
}
