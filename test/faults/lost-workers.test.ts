// F25: a link that ends every worker that touches it, and a worker that stands still until its link is another's.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mostTakeovers } from '../../src/onboarding/domain/link.ts'
import { beginLink, finishLink } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type Fleet, type OnboardingProcess, startFleet, untilLink } from '../support/processes/onboarding-process.ts'
import { apiClient } from '../support/worlds/onboarding-world.ts'

let fleet: Fleet

afterEach(() => fleet.close())

describe('a poison link', () => {
  beforeEach(async () => {
    fleet = await startFleet({ env: { VERIFY_FUNCTIONS: 'false' } })
  }, 120_000)

  test('ends four workers, is set aside, and its neighbours finish', async () => {
    let worker: OnboardingProcess = await fleet.start()
    for (const tenant of ['acme', 'poison']) await fleet.putTenant(tenant)
    fleet.platform.fault = () => 503
    const poison = await beginLink(fleet, { tenantId: 'poison' })
    const neighbours = await Promise.all([1, 2, 3, 4].map(() => beginLink(fleet)))
    for (const begun of [poison, ...neighbours]) await finishLink(fleet, begun)
    // The neighbours are on their way when the poison strikes.
    fleet.platform.fault = ({ workspace }) => {
      if (workspace !== 'poison') return { delayMs: 300 }
      void worker.kill()
      return 'cut'
    }
    await worker.kill()
    let deaths = 0

    for (;;) {
      await fleet.sql.query('update links set due_at = now() where due_at is not null')
      worker = await fleet.launch()
      const settled = untilLink(fleet, poison.minted, ['needs_attention'], 60_000).then(() => 'settled')
      if ((await Promise.race([settled, worker.ended.then(() => 'dead')])) === 'settled') break
      settled.catch(() => {})
      deaths++
    }
    await worker.ready
    await untilQuiet(fleet)

    expect(deaths).toBe(mostTakeovers)
    expect(await fleet.linkOf(poison.minted)).toMatchObject({ state: 'needs_attention', cause: 'worker_crashed' })
    for (const { minted } of neighbours) expect(await fleet.linkOf(minted)).toMatchObject({ state: 'linked' })
    expect(await brokenPromises(fleet)).toEqual([])
  }, 240_000)
})

describe('a worker that stood still', () => {
  let first: OnboardingProcess

  beforeEach(async () => {
    // So short that it runs out while a test waits. Nobody but the one that stands still can lose a link by it.
    fleet = await startFleet({ env: { LEASE_SECONDS: '4' } })
    first = await fleet.start()
    await fleet.putTenant('acme')
  }, 120_000)

  /** The first worker stops when its request arrives there; a second one finishes the link. */
  async function overtaken(path: string) {
    const begun = await beginLink(fleet)
    fleet.platform.fault = (request) => {
      if (request.method === 'POST' && request.path === path) {
        fleet.platform.fault = undefined
        first.freeze()
      }
      return undefined
    }
    const answer = finishLink(fleet, begun)
    await waitFor('it stands still', () => fleet.platform.posts().some((post) => post.path === path))
    const second = await fleet.start()
    const { connection_id: connection } = await untilLink(fleet, begun.minted, ['linked'], 60_000)
    return { answer, connection, second }
  }

  test.each(['/v0/integrations/connections', '/v0/functions'])(
    'at %s calls nobody when it goes on, and answers with what the other made of the link',
    async (path) => {
      const { answer } = await overtaken(path)
      const before = fleet.platform.seen.length

      first.thaw()
      const { body } = await answer

      expect(body).toMatchObject({ status: 'linked' })
      expect(fleet.platform.seen.slice(before)).toEqual([])
      expect(await brokenPromises(fleet)).toEqual([])
    },
    120_000,
  )

  test('leaves nothing behind when the connection was disconnected meanwhile', async () => {
    const { answer, connection, second } = await overtaken('/v0/integrations/connections')
    // Past the front, whose open connections lead to the one that stands still.
    await apiClient(second.url, fleet.key)('POST', `/connections/${connection}/disconnect`, {
      reason: 'no longer wanted',
    })
    await untilQuiet(fleet)

    first.thaw()
    await answer

    expect([fleet.platform.connections.size, fleet.platform.functions.size]).toEqual([0, 0])
    expect(await brokenPromises(fleet)).toEqual([])
  }, 120_000)
})
