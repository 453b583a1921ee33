import { beforeEach, expect, test } from 'vitest'
import { resumeTasks } from '../../../../src/onboarding/connections/flows/work-on-task.ts'
import { maxNotifySeconds, rememberedSeconds } from '../../../../src/onboarding/domain/offboarding/tenant-deletion.ts'
import { deleteTenant, readDeletion } from '../../../../src/onboarding/offboarding/flows/delete-tenant.ts'
import { resumeDeletions } from '../../../../src/onboarding/offboarding/flows/work-on-deletion.ts'
import { deliverWebhooks } from '../../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { createWebhook } from '../../../../src/onboarding/webhooks/flows/manage-webhooks.ts'
import { dieOnce, isAway } from '../../../support/memory/doubles.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const start = (more = {}) =>
  deleteTenant(world, world.settings, { caller: operator, actor: byKey, id: 'acme', ...more })
const stepOf = async () => (await world.deletions.find('acme'))?.step
async function sweep(rounds: number, seconds = 10) {
  for (let round = 0; round < rounds; round++) {
    world.clock.pass(seconds)
    await resumeTasks(world, world.settings)
    await (await deliverWebhooks(world)()).done
    await resumeDeletions(world, world.settings)
  }
}

test('ends everything of a tenant, then the tenant', async () => {
  const connection = await world.addConnection()
  const link = await world.addLink()
  const session = await world.addSession()

  const { connectionsLeft } = await start()
  await sweep(5)

  expect(connectionsLeft).toBe(1)
  expect(await stepOf()).toBe('done')
  expect((await world.tenants.find('acme'))?.status).toBe('deleted')
  expect((await world.found(connection.id)).status).toBe('disconnected')
  expect(await world.links.find(link.id)).toMatchObject({ state: 'abandoned', cause: 'session_cancelled' })
  expect((await world.sessions.find(session.id))?.cancelledAt).toBeDefined()
  expect(world.provider.calls).toContain('revoke first grant')
  const started = world.tables.audit.find(({ entry }) => entry.action === 'disconnect.started')
  expect(started?.entry).toMatchObject({ facts: { following: 'tenant_deletion' }, reason: undefined })
})

test('a grant that can be neither used nor revoked does not block the deletion', async () => {
  const escrowed = await world.escrow(await world.addLink())
  const link = await world.move(escrowed, 'needs_attention', { cause: 'answer_unreadable', resumeFrom: 'escrowed' })
  world.provider.revoke = async () => 'refused'

  await start()
  await sweep(10)

  expect(await stepOf()).toBe('done')
  expect(await world.links.find(link.id)).toMatchObject({ state: 'failed', cause: 'answer_unreadable' })
})

test.each(
  (['move', 'announce', 'finish'] as const).flatMap((call) => [
    { call, at: 'before' as const },
    { call, at: 'after' as const },
  ]),
)('finishes a deletion whose process died $at $call', async ({ call, at }) => {
  const connection = await world.addConnection()
  const hasDied = dieOnce(world.deletions, call, at)

  await start().catch(() => undefined)
  for (let round = 0; round < 10; round++) await sweep(1, 60).catch(() => undefined)

  expect(hasDied()).toBe(true)
  expect(await stepOf()).toBe('done')
  expect((await world.found(connection.id)).status).toBe('disconnected')
  expect(world.events()).toEqual(['connection.disconnected', 'tenant.deleted'])
  expect(world.actions().filter((action) => action === 'tenant.deleted')).toHaveLength(1)
})

test('a repeated deletion is a no-op', async () => {
  await start()
  await start()
  await sweep(5)

  expect((await start()).deletion.step).toBe('done')
  expect(world.actions().filter((action) => action === 'tenant.deletion_started')).toHaveLength(1)
  expect(world.actions().filter((action) => action === 'tenant.deleted')).toHaveLength(1)
})

test('a tenant’s key cannot delete tenants, and another tenant reads like a missing one', async () => {
  await expect(start({ caller: ofTenant('acme') })).rejects.toMatchObject({ code: 'key_limited' })
  await expect(start({ caller: ofTenant('other') })).rejects.toMatchObject({ code: 'not_found' })
  await expect(start({ id: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
  expect((await world.tenants.find('acme'))?.status).toBe('active')
})

test('the progress is visible to callers who can read the tenant', async () => {
  await expect(readDeletion(world, { caller: operator, id: 'acme' })).rejects.toMatchObject({ code: 'not_found' })
  await start()

  expect((await readDeletion(world, { caller: operator, id: 'acme' })).deletion.tenant).toBe('acme')
  await expect(readDeletion(world, { caller: ofTenant('other'), id: 'acme' })).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('waits for an unavailable platform and erases nothing before', async () => {
  await world.addConnection()
  const { deleteFunction } = world.platform
  world.platform.deleteFunction = isAway('platform_unavailable')
  await start()
  await sweep(5)
  const during = [await stepOf(), (await world.tenants.find('acme'))?.status]
  world.platform.deleteFunction = deleteFunction

  await sweep(10)

  expect(during).toEqual(['disconnecting', 'deleting'])
  expect(await stepOf()).toBe('done')
})

test('notifies webhooks before they are deleted', async () => {
  const wanted = { url: 'https://acme.example/hooks', events: ['tenant.deleted' as const] }
  await createWebhook(world, { caller: operator, actor: byKey, tenant: 'acme', ...wanted })
  await start()
  await sweep(5)

  expect(world.webhookSender.sent.map(({ body }) => JSON.parse(body).type)).toEqual(['tenant.deleted'])
  expect(await world.webhooks.list('acme')).toEqual([])
})

test('waits a limited time for a webhook that does not respond', async () => {
  const wanted = { url: 'https://acme.example/hooks', events: ['tenant.deleted' as const] }
  await createWebhook(world, { caller: operator, actor: byKey, tenant: 'acme', ...wanted })
  world.webhookSender.send = async () => ({ failureReason: 'unreachable' })
  await start()
  await sweep(5)
  const during = await stepOf()

  await sweep(2, maxNotifySeconds)

  expect([during, await stepOf()]).toEqual(['notifying', 'done'])
})

test('ends work that another process started before it saw the deletion', async () => {
  await start()
  await sweep(1, 1)
  const late = await world.addConnection()
  world.clock.pass(rememberedSeconds)

  await sweep(5)

  expect((await world.found(late.id)).status).toBe('disconnected')
  expect(await stepOf()).toBe('done')
})
