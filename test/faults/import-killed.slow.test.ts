// F26: the process of an import is killed twice, at a provider whose refresh tokens can be used once.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { providerClient } from '../support/doubles/provider/provider.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { endLeases } from '../support/processes/crash-lane.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'

const rows = 60
const atOnce = 8
const patience = { withinMs: 120_000 }

let fleet: Fleet
beforeAll(async () => {
  fleet = await startFleet({
    env: { VERIFY_FUNCTIONS: 'false', IMPORT_ROWS_AT_ONCE: String(atOnce) },
    integration: { rotation: 'single_use' },
  })
}, 120_000)
afterAll(() => fleet.close())

const firstToken = (at: number) => `CANARY-RT-import-${at}`

/** The newest token of each account. */
const newest = () => new Map(fleet.provider.issued.map(({ subject, token }) => [subject, token]))

const linked = async () =>
  (await fleet.sql.query(`select count(*)::int as count from links where state = 'linked'`)).rows[0].count as number

test('no row is lost or done twice, and no token is sent twice or leaked', async () => {
  const { provider, platform } = fleet
  Object.assign(provider.behaviour, { rotates: true, revokesWholeGrant: true })
  for (let at = 0; at < rows; at++) {
    const more = { code: '', revoked: false }
    provider.issued.push({ ...more, token: firstToken(at), client: providerClient.id, subject: `account-${at}` })
  }
  // Slow enough to be killed in the middle.
  platform.fault = () => ({ delayMs: 30 })
  const first = await fleet.start()
  await fleet.putTenant('acme')
  const { body } = await fleet.api('POST', '/imports', { tenantId: 'acme' })
  const batch = Array.from({ length: rows }, (_, at) => ({
    key: `${at}`,
    integrationId: 'provider',
    endUser: { id: `user-${at}` },
    refreshToken: firstToken(at),
  }))
  const add = () => fleet.api('POST', `/imports/${body.id}/rows`, { rows: batch })
  await add()

  await waitFor('some are linked', async () => (await linked()) > rows / 6, patience)
  await first.kill()
  await endLeases(fleet)
  const second = await fleet.start()
  const again = await add()
  await waitFor('more are linked', async () => (await linked()) > rows / 2, patience)
  await second.kill()
  await endLeases(fleet)
  await fleet.start()
  const progress = await waitFor(
    'all are done',
    async () => {
      const { body: told } = await fleet.api('GET', `/imports/${body.id}`)
      return told.status === 'done' && told
    },
    patience,
  )

  expect(again.body.rows).toHaveLength(rows)
  expect(progress.counts.linked + progress.counts.failed).toBe(rows)
  // Only rows whose request was at the provider when a process was killed: their outcome is unknown.
  expect(progress.counts.failed).toBeLessThanOrEqual(2 * atOnce)
  const reasons = progress.reasons.map(({ code }: { code: string }) => code)
  expect(reasons.filter((code: string) => code !== 'exchange_unknown')).toEqual([])
  const sent = provider.seen.tokenRequests.map(({ refresh_token }) => refresh_token)
  expect(new Set(sent).size).toBe(sent.length)
  const held = [...platform.connections.values()].map(
    ({ spec }) => (spec.secret as Record<string, string>).REFRESH_TOKEN,
  )
  expect(new Set(held).size).toBe(progress.counts.linked)
  const good = new Set(newest().values())
  expect(held.filter((token) => !good.has(token as string))).toEqual([])
  expect(fleet.logs()).not.toContain('CANARY-RT')
}, 400_000)
