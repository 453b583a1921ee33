// F25: links that crash every worker that claims them, and a worker that stalls for longer than its lease.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { maxTakeovers } from '../../src/onboarding/domain/retries.ts'
import { beginLink, finishLink } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, type OnboardingProcess, startFleet, untilLink } from '../support/processes/onboarding-process.ts'
import { apiClient, type MintedSession } from '../support/worlds/onboarding-world.ts'

let fleet: Fleet

describe('poison links', () => {
  beforeAll(async () => {
    fleet = await startFleet({ env: { VERIFY_FUNCTIONS: 'false', LEASE_SECONDS: '4' } })
  }, 120_000)
  afterAll(() => fleet.close())

  const countIn = async (state: string): Promise<number> =>
    (await fleet.sql.query('select count(*)::int as links from links where state = $1', [state])).rows[0].links

  /** Restarts every process that ends, as a supervisor does. */
  async function superviseUntil(settled: Promise<unknown>) {
    let [deaths, isSettled] = [0, false]
    const over = settled.finally(() => {
      isSettled = true
    })
    while (!isSettled) {
      worker = await fleet.launch()
      await Promise.race([over, worker.ended])
      if (!isSettled) deaths++
    }
    await over
    return deaths
  }

  let worker: OnboardingProcess

  test('crash their workers, are set aside, and thirty other links finish', async () => {
    worker = await fleet.start()
    const neighbours = ['acme', 'beta', 'gamma', 'delta', 'epsilon']
    for (const tenant of [...neighbours, 'poison']) await fleet.putTenant(tenant)
    fleet.platform.fault = () => 503
    const link = async (tenantId: string) => {
      const begun = await beginLink(fleet, { tenantId })
      await finishLink(fleet, begun)
      return begun.minted
    }
    const poison = await Promise.all([1, 2].map(() => link('poison')))
    const good: MintedSession[] = []
    for (let count = 0; count < 6; count++) good.push(...(await Promise.all(neighbours.map(link))))
    // The other links are in progress when the poison links start.
    fleet.platform.fault = ({ workspace }) => {
      if (workspace !== 'poison') return { delayMs: 300 }
      void worker.kill()
      return 'cut'
    }
    await worker.kill()
    await fleet.sql.query('update links set due_at = now(), next_attempt_at = now() where due_at is not null')

    const deaths = await superviseUntil(
      waitFor(
        'neighbours are linked and poison is set aside',
        async () => (await countIn('linked')) === good.length && (await countIn('needs_attention')) === poison.length,
        { withinMs: 400_000 },
      ),
    )
    await worker.ready
    await untilQuiet(fleet)

    expect(deaths).toBeGreaterThanOrEqual(maxTakeovers)
    expect(deaths).toBeLessThanOrEqual(poison.length * maxTakeovers)
    for (const minted of poison) expect(await fleet.linkOf(minted)).toMatchObject({ cause: 'worker_crashed' })
    expect(await brokenPromises(fleet)).toEqual([])
  }, 600_000)
})

describe('a stalled worker', () => {
  let first: OnboardingProcess

  beforeAll(async () => {
    // Short enough to expire within a test. Only the stalled worker can lose a link by it.
    fleet = await startFleet({ env: { LEASE_SECONDS: '4' } })
    first = await fleet.start()
    await fleet.putTenant('acme')
  }, 120_000)
  afterAll(() => fleet.close())

  afterEach(async () => {
    first.thaw()
    for (const each of fleet.processes) if (each !== first) await each.kill()
    fleet.front.toward(first.port)
    fleet.front.cutOpen() // kept-alive connections lead to the killed process
  })

  /** The first worker is frozen when its request arrives there; a second one finishes the link. */
  async function overtaken(path: string) {
    const begun = await beginLink(fleet)
    let standsStill = false
    fleet.platform.fault = (request) => {
      if (request.method === 'POST' && request.path === path) {
        fleet.platform.fault = undefined
        first.freeze()
        standsStill = true
      }
      return undefined
    }
    const answer = finishLink(fleet, begun)
    await waitFor('it stands still', () => standsStill)
    const second = await fleet.start()
    const { connection_id: connection } = await untilLink(fleet, begun.minted, ['linked'], 60_000)
    return { answer, connection, second }
  }

  test.each(['/v0/integrations/connections', '/v0/functions'])(
    'at %s makes no more calls, and returns the outcome of the other worker',
    async (path) => {
      const { answer } = await overtaken(path)
      const before = fleet.platform.seen.length

      first.thaw()
      const { body } = await answer

      expect(body).toMatchObject({ status: 'linked' })
      expect(fleet.platform.seen.slice(before).filter(({ path }) => path !== '/v0/approvals')).toEqual([])
      expect(await brokenPromises(fleet)).toEqual([])
    },
    120_000,
  )

  test('leaves nothing behind if the connection has been disconnected', async () => {
    const { connections, functions } = fleet.platform
    const before = [connections.size, functions.size]
    const { answer, connection, second } = await overtaken('/v0/integrations/connections')
    // Bypasses the front, whose open connections lead to the frozen process.
    await apiClient(second.url, fleet.key)('POST', `/connections/${connection}/disconnect`, {
      reason: 'no longer wanted',
    })
    await untilQuiet(fleet)

    first.thaw()
    await answer

    expect([connections.size, functions.size]).toEqual(before)
    expect(await brokenPromises(fleet)).toEqual([])
  }, 120_000)
})
