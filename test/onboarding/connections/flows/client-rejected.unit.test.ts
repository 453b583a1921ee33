// O21: twenty connections of one client, at a provider that rejects every refresh without a reason.
import { beforeEach, expect, test } from 'vitest'
import { checkDueConnections } from '../../../../src/onboarding/connections/flows/check-health.ts'
import { noteRejection } from '../../../../src/onboarding/provisioning/flows/client-verdict.ts'
import { findClient } from '../../../../src/onboarding/tenants/flows/find-client.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let refused: ReadonlySet<string> | 'all'

beforeEach(async () => {
  world = await openMemoryWorld({ integration: { health: { by: 'function', tool: 'list_files' } } })
  refused = 'all'
  for (let nth = 0; nth < 20; nth++) await world.addConnection({}, {}, { checkInSeconds: 60 })
  world.platform.tryTool = async ({ functionUrl }) =>
    refused === 'all' || refused.has(functionUrl)
      ? { failed: true, cause: undefined, unexplained: true }
      : { failed: false }
})

/** Checks that are due each half minute. */
async function pass(minutes: number) {
  for (let half = 0; half < minutes * 2; half++) {
    world.clock.pass(30)
    while ((await checkDueConnections(world, world.settings)) > 0);
  }
}

const all = () => [...world.tables.connections.values()]
const latest = () =>
  all().map(({ id }) => world.tables.healthChecks.findLast((each) => each.connectionId === id)?.cause)
const counted = (values: unknown[]) =>
  Object.fromEntries([...new Set(values)].map((each) => [each, values.filter((other) => other === each).length]))
const statuses = () => counted(all().map(({ status }) => status))

test('a rejected client is the operator’s to fix, and connections recover without a re-link', async () => {
  world.probes.error = 'invalid_client'

  await pass(60)
  const found = { statuses: statuses(), causes: counted(latest()) }
  const { asked } = world.probes
  refused = new Set()
  await pass(6)

  expect(found).toEqual({ statuses: { active: 20 }, causes: { client_rejected: 20 } })
  expect(asked).toBeLessThanOrEqual(6)
  expect([statuses(), counted(latest())]).toEqual([{ active: 20 }, { undefined: 20 }])
  expect(world.events()).toEqual([])
})

test('revoked grants of a valid client are the users’ to fix within 20 minutes', async () => {
  await pass(20)

  expect(statuses()).toEqual({ needs_relink: 20 })
  expect(world.probes.asked).toBeLessThanOrEqual(2)
})

test('one revoked grant of a valid client is the user’s to fix after two checks and one probe', async () => {
  refused = new Set([all()[0]!.functionUrl])

  await pass(8)

  expect(statuses()).toEqual({ needs_relink: 1, active: 19 })
  expect(world.probes.asked).toBe(1)
})

test('does not probe a client that a link found rejected', async () => {
  await noteRejection(world, await findClient(world, all()[0]!), 'client_secret_expired')

  await pass(8)

  expect(counted(latest())).toEqual({ client_secret_expired: 20 })
  expect(world.probes.asked).toBe(0)
})

test('asks no user to re-link if all grants are refused and the client’s status is unknown', async () => {
  world.probes.error = undefined

  await pass(59)

  expect([statuses(), counted(latest())]).toEqual([{ active: 20 }, { refresh_refused: 20 }])
  expect(world.events()).toEqual([])
})

test('asks a user to re-link if only their grant is refused and the client’s status is unknown', async () => {
  world.probes.error = undefined
  refused = new Set([all()[0]!.functionUrl])

  await pass(8)

  expect(statuses()).toEqual({ needs_relink: 1, active: 19 })
})

test('a probe from before the first refusal does not blame users', async () => {
  refused = new Set([all()[0]!.functionUrl])
  await pass(7)
  refused = 'all'
  world.probes.error = 'invalid_client'
  for (const { id } of all()) Object.assign(world.tables.connections.get(id)!, { healthDueAt: world.now() })

  await pass(30)

  expect(statuses()).toEqual({ needs_relink: 1, active: 19 })
})

test('asks no user to re-link if Redis is unavailable and the client’s status is unknown', async () => {
  world.clientVerdicts.find = () => Promise.reject(new Error('no Redis'))

  await pass(30)

  expect(statuses()).toEqual({ active: 20 })
})

test('a grant that works with our client replaces the outdated secret on the platform', async () => {
  world = await openMemoryWorld({ integration: { health: { by: 'function', tool: 'list_files' }, rotation: 'none' } })
  await world.addConnection({}, {}, { checkInSeconds: 60 })
  world.platform.tryTool = async () => {
    const isNew = world.platform.calls.some((call) => call.startsWith('replaceConnection'))
    return isNew ? { failed: false } : { failed: true, cause: undefined, unexplained: true }
  }
  world.provider.refresh = async () => ({ rotated: false })

  await pass(8)

  expect([statuses(), counted(latest())]).toEqual([{ active: 1 }, { undefined: 1 }])
  expect(world.platform.calls).toContain('replaceConnection first grant')
})
