// Case 59 of the attack catalogue: input that is shaped to load the server. Limits of time are tried in test/kit.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { besideIdle, bodyOf, exchange, manySilent, statusOf, unreadable } from '../../support/http/raw-http.ts'
import { type Fleet, startFleet } from '../../support/processes/onboarding-process.ts'

let fleet: Fleet
let address: string
let figures: string

beforeAll(async () => {
  fleet = await startFleet({
    env: { TRUST_PROXY: '192.0.2.1', RATE_BROWSER_PER_MINUTE: '30', RATE_MINT_PER_MINUTE: '60' },
  })
  const metricsPort = await freePort()
  address = (await fleet.start({ METRICS_PORT: String(metricsPort) })).url
  figures = `http://127.0.0.1:${metricsPort}/metrics`
})
afterAll(() => fleet.close())

describe('case 59, load-shaped input', () => {
  test.each(unreadable)('%s returns %i as a problem document', async (_, status, text) => {
    const answer = await exchange(address, text('/api/v1/tenants/acme'))

    expect(statusOf(answer)).toBe(status)
    expect(answer).toMatch(/content-type: application\/problem\+json/i)
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ type: 'about:blank', status })
  })

  test('five thousand idle connections do not delay other requests', async () => {
    const { statuses, cost } = await besideIdle(address, figures, manySilent())

    expect(statuses).toEqual(new Set([200]))
    expect(cost).toBeLessThan(5)
  }, 120_000)

  test('a burst of page requests gets 429 with a retry time, whatever address it claims', async () => {
    const burst = Array.from({ length: 80 }, (_, at) =>
      fetch(`${address}/connect/${'x'.repeat(43)}`, { headers: { 'X-Forwarded-For': `198.51.100.${at}` } }),
    )

    const limited = (await Promise.all(burst)).filter(({ status }) => status === 429)

    expect(limited.length).toBeGreaterThanOrEqual(20)
    expect(limited.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true)
  })

  test('a burst of wrong keys gets 429, and a valid key still works', async () => {
    const guess = (at: number) =>
      fetch(`${address}/api/v1/tenants/acme`, {
        headers: { Authorization: `Bearer cwk_${String(at).padStart(43, 'x')}`, 'X-Forwarded-For': `198.51.100.${at}` },
      })

    const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => guess(at)))
    const good = await fetch(`${address}/api/v1/tenants/acme`, { headers: { Authorization: `Bearer ${fleet.key}` } })

    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses).toEqual(new Set([401, 429]))
    expect(good.status).toBe(404) // answered, and there is no such tenant
  })

  test('a burst of sessions of one tenant gets 429, and other tenants are not affected', async () => {
    await fleet.putTenant('busy')
    await fleet.putTenant('calm')

    const answers = await Promise.all(Array.from({ length: 130 }, () => fleet.tryMint({ tenantId: 'busy' }, address)))
    const other = await fleet.tryMint({ tenantId: 'calm' }, address)

    const statuses = new Set(answers.map(({ status }) => status))
    expect(statuses).toContain(429)
    expect(other.status).toBe(201)
  })
})
