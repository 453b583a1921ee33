import { beforeEach, expect, test } from 'vitest'
import {
  listDeliveries,
  readDelivery,
  replayDelivery,
} from '../../../../src/onboarding/webhooks/flows/webhook-deliveries.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let delivery: string
const webhook = { id: 'whk_000000000001', tenant: 'acme' }

beforeEach(async () => {
  world = await openMemoryWorld()
  const wanted = { ...webhook, url: 'https://hooks.example/', events: ['link.failed' as const] }
  await world.webhooks.create(wanted, 'sealed', 10, auditEntry('webhook.created'))
  const event = { id: 'evt_1', name: 'link.failed', payload: {} } as const
  await world.move(await world.addLink(), 'failed', { event })
  await world.deliveries.announce(10)
  const [claimed] = await world.deliveries.claimDue({ limit: 1, perTenant: 1, underWay: {} })
  await world.deliveries.markDead(claimed!, { failureReason: 'refused', responseStatus: 500 })
  delivery = claimed!.id
})

const query = { tenant: 'acme', status: undefined, webhook: undefined, cursor: undefined, limit: 10 }
const replay = (caller = ofTenant('acme')) =>
  replayDelivery(world, world.settings, { caller, actor: byKey, tenant: 'acme', delivery })

test('a tenant reads and lists its deliveries', async () => {
  const caller = ofTenant('acme')

  expect(await readDelivery(world, { caller, tenant: 'acme', id: delivery })).toMatchObject({ status: 'dead' })
  expect((await listDeliveries(world, { caller, ...query })).data.map(({ id }) => id)).toEqual([delivery])
})

test("another tenant's deliveries read like missing ones", async () => {
  await world.addTenant('other')
  const caller = ofTenant('other')

  await expect(listDeliveries(world, { caller, ...query })).rejects.toMatchObject({ code: 'not_found' })
  await expect(readDelivery(world, { caller, tenant: 'other', id: delivery })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(replay(caller)).rejects.toMatchObject({ code: 'not_found' })
})

test('a replay of a dead delivery starts with the first attempt', async () => {
  expect(await replay()).toMatchObject({ id: delivery, status: 'pending', attempts: 0, nextAttemptAt: world.now() })
  expect(world.actions()).toContain('webhook.replayed')
})

test('rejects a replay to a disabled webhook', async () => {
  await world.webhooks.disable(webhook, auditEntry('webhook.disabled'))

  await expect(replay()).rejects.toMatchObject({ code: 'webhook_disabled' })
})

test('a delivery that is deleted during a replay reads like a missing one', async () => {
  const { replay: really } = world.deliveries
  world.deliveries.replay = async (...args) => {
    const replayed = await really(...args)
    await world.webhooks.delete('acme', webhook.id, auditEntry('webhook.deleted'))
    return replayed
  }

  await expect(replay()).rejects.toMatchObject({ code: 'not_found' })
})

test('replays are rate limited per tenant', async () => {
  const { max } = world.settings.rates.send
  for (let times = 0; times < max; times++) await replay()

  await expect(replay()).rejects.toMatchObject({ code: 'rate_limited' })
})
