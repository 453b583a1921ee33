import { beforeEach, expect, test } from 'vitest'
import { triggerEvent } from '../../../../src/onboarding/webhooks/flows/events.ts'
import { byKey, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
  await world.addTenant('test_acme')
})

const ofTestMode = { keyId: 'key_1', tenant: undefined, testMode: true }

const trigger = (tenant: string, caller: Parameters<typeof triggerEvent>[2]['caller'] = ofTestMode) =>
  triggerEvent(world, world.settings, { caller, actor: byKey, tenant, type: 'link.failed', claim: undefined })

test('a triggered event is listed, sent and audited', async () => {
  const { id } = await trigger('test_acme')

  const { data } = await world.eventLog.list({ tenant: 'test_acme', order: 'oldest', cursor: undefined, limit: 9 })
  expect(data.map((event) => event.id)).toEqual([id])
  expect(world.actions().at(-1)).toBe('event.triggered')
})

test('rejects triggered events for a live tenant', async () => {
  const live = { keyId: 'key_2', tenant: undefined }

  await expect(trigger('acme', live)).rejects.toMatchObject({ code: 'test_mode_only' })
  expect(world.events()).toEqual([])
})

test('triggered events are rate limited per tenant like sessions', async () => {
  await world.addTenant('test_other')
  for (let sent = 0; sent < world.settings.rates.send.max; sent++) await trigger('test_acme')

  await expect(trigger('test_acme')).rejects.toMatchObject({ code: 'rate_limited', more: { retryAfterSeconds: 60 } })
  await trigger('test_other')
  world.clock.pass(61)
  await trigger('test_acme')

  expect(world.events()).toHaveLength(world.settings.rates.send.max + 2)
})
