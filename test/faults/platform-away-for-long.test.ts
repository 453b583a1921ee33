// A platform that is away for long, comes back slow, and is well again, with a thousand links of one tenant waiting.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkPatiently } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'

let fleet: Fleet

const ceiling = 1_000

beforeAll(async () => {
  // Asking each function for its tools is what \`crash-on-the-way.test.ts\` does.
  fleet = await startFleet({ env: { BACKLOG_PER_TENANT: String(ceiling), VERIFY_FUNCTIONS: 'false' } })
  await fleet.start()
  for (const tenant of ['acme', 'noisy', 'quiet']) await fleet.putTenant(tenant)
  fleet.platformLine.refuse()
  await linkMany('noisy', ceiling)
  await linkMany('quiet', 5)
}, 600_000) // a thousand users, of whom a busy machine serves four a second
afterAll(() => fleet.close())

test('F14, away for long: links are taken up to a ceiling, and minting then answers 503', async () => {
  const full = await fleet.tryMint({ tenantId: 'noisy' })
  const other = await fleet.tryMint()
  const readiness = await fetch(`${fleet.url}/readyz`)

  expect([full.status, full.body.code]).toEqual([503, 'backlog_full'])
  expect(full.headers.get('retry-after')).toBe('60')
  expect(other.status).toBe(201)
  expect([readiness.status, await readiness.json()]).toMatchObject([200, { parts: { platform: 'not answering' } }])
  expect(await statesOf('noisy')).toEqual({ escrowed: ceiling })
})

test('F23, a slow platform and a noisy tenant: the quiet one is not kept waiting', async () => {
  fleet.platform.fault = () => ({ delayMs: 2_000 })
  await endWaits()
  await fleet.platformLine.pass()

  // Two requests for each link, twenty links at a time: the noisy one alone takes more than three minutes.
  await waitFor('the quiet tenant is served', async () => (await statesOf('quiet')).linked === 5, { withinMs: 60_000 })

  expect((await statesOf('noisy')).linked ?? 0).toBeLessThan(ceiling)
}, 180_000)

test('F14, once it is well again all are finished, and none is lost or there twice', async () => {
  fleet.platform.fault = undefined
  await endWaits()

  await untilQuiet(fleet, 240_000)

  expect(await statesOf('noisy')).toEqual({ linked: ceiling })
  expect(await brokenPromises(fleet)).toEqual([])
}, 400_000)

/** Twenty users at a time. */
async function linkMany(tenant: string, count: number) {
  const users = Array.from({ length: 20 }, async (_, at) => {
    for (let made = at; made < count; made += 20) await linkPatiently(fleet, { mint: { tenantId: tenant } })
  })
  await Promise.all(users)
}

/**
 * All are due at one moment, as after hours. Written one by one: the program takes several links in one transaction, and
 * a statement of ours that took all of them in another order would wait for it while it waits for us.
 */
async function endWaits() {
  const { rows } = await fleet.sql.query("select id from links where state = 'escrowed'")
  const soon = new Date(Date.now() + 2_000)
  const put = "update links set due_at = $2 where id = $1 and state = 'escrowed'"
  for (const { id } of rows) await fleet.sql.query(put, [id, soon])
}

async function statesOf(tenant: string): Promise<Record<string, number>> {
  const { rows } = await fleet.sql.query(
    'select state, count(*)::int as links from links where tenant = $1 group by state',
    [tenant],
  )
  return Object.fromEntries(rows.map(({ state, links }) => [state, links]))
}
