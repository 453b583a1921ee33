import { beforeEach, expect, test } from 'vitest'
import { resumeTasks } from '../../../../src/onboarding/connections/flows/work-on-task.ts'
import { maxErasureNotifySeconds } from '../../../../src/onboarding/domain/offboarding/erasure.ts'
import { eraseEndUser, listErasures, readErasure } from '../../../../src/onboarding/offboarding/flows/erase-end-user.ts'
import { resumeErasures } from '../../../../src/onboarding/offboarding/flows/work-on-erasure.ts'
import { sweepLinks } from '../../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { deliverWebhooks } from '../../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { createWebhook } from '../../../../src/onboarding/webhooks/flows/manage-webhooks.ts'
import { dieOnce, isAway } from '../../../support/memory/doubles.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const endUser = { id: 'user-1', email: 'user@acme.example' }
const start = (more = {}) =>
  eraseEndUser(world, world.settings, {
    caller: operator,
    actor: byKey,
    tenant: 'acme',
    endUserId: endUser.id,
    ...more,
  })
const now = async (id: string) => readErasure(world, { caller: operator, id })

async function sweep(rounds: number, seconds = 10) {
  for (let round = 0; round < rounds; round++) {
    world.clock.pass(seconds)
    await resumeTasks(world, world.settings)
    await sweepLinks(world, world.settings)
    await (await deliverWebhooks(world)()).done
    await resumeErasures(world, world.settings)
  }
}

test('ends everything of a user and revokes their grants', async () => {
  const connection = await world.addConnection({ endUser })
  const link = await world.addLink({ endUser })
  const session = await world.addSession({ endUser })

  const { id } = await start()
  await sweep(5)

  const done = await now(id)
  expect(done).toMatchObject({ step: 'done', endUserId: undefined })
  expect(done.receipt?.grants).toEqual([{ integration: 'files', connectionId: connection.id, revocation: 'revoked' }])
  expect(world.provider.calls).toContain('revoke first grant')
  expect(await world.found(connection.id)).toMatchObject({ status: 'disconnected', endUserId: id, account: undefined })
  expect(await world.links.find(link.id)).toMatchObject({ state: 'abandoned', endUser: { id } })
  expect((await world.sessions.find(session.id))?.cancelledAt).toBeDefined()
  expect(world.events()).toEqual(['link.failed', 'connection.disconnected', 'end_user.erased'])
  const started = world.tables.audit.find(({ entry }) => entry.action === 'disconnect.started')
  expect(started?.entry).toMatchObject({ facts: { following: 'erasure' } })
})

test.each(
  (['closeSessions', 'move', 'finish'] as const).flatMap((call) => [
    { call, at: 'before' as const },
    { call, at: 'after' as const },
  ]),
)('finishes an erasure whose process died $at $call', async ({ call, at }) => {
  const connection = await world.addConnection({ endUser })
  const hasDied = dieOnce(world.erasures, call, at)

  await start().catch(() => undefined)
  for (let round = 0; round < 10; round++) await sweep(1, 60).catch(() => undefined)

  expect(hasDied()).toBe(true)
  const [erasure] = world.tables.erasures.values()
  expect(erasure).toMatchObject({ step: 'done', receipt: { grants: [{ connectionId: connection.id }] } })
  expect(await world.found(connection.id)).toMatchObject({ status: 'disconnected', endUserId: erasure?.id })
  expect(world.events()).toEqual(['connection.disconnected', 'end_user.erased'])
  expect(world.actions().filter((action) => action === 'end_user.erased')).toHaveLength(1)
})

test('leaves other users, and the same ID at another tenant, unchanged', async () => {
  await world.addTenant('other')
  const theirs = await world.addConnection({ tenant: 'other', endUser })
  const another = await world.addConnection({ endUser: { id: 'user-2' } })

  await start()
  await sweep(5)

  expect((await world.found(theirs.id)).status).toBe('active')
  expect((await world.found(another.id)).status).toBe('active')
})

test('does not revoke a grant that another connection uses, and reports it in the receipt', async () => {
  world = await openMemoryWorld({ integration: { revocation: { reach: 'grant' } } })
  const own = await world.addConnection({ endUser })
  await world.addConnection({ endUser: { id: 'user-2' } })

  const { id } = await start()
  await sweep(5)

  expect((await now(id)).receipt?.grants).toMatchObject([{ connectionId: own.id, revocation: 'shared' }])
  expect(world.provider.calls).not.toContain('revoke first grant')
})

test('retries a rejected revocation a few times, and reports it in the receipt', async () => {
  await world.addConnection({ endUser })
  world.provider.revoke = async () => 'refused'

  const { id } = await start()
  await sweep(20)

  expect((await now(id)).receipt?.grants).toMatchObject([{ revocation: 'refused' }])
})

test('waits for an unavailable platform with a cause and erases nothing before', async () => {
  const connection = await world.addConnection({ endUser })
  const { deleteFunction } = world.platform
  world.platform.deleteFunction = isAway('platform_unavailable')
  const { id } = await start()
  await sweep(5)
  const during = await now(id)
  const still = await world.found(connection.id)
  world.platform.deleteFunction = deleteFunction

  await sweep(20)

  expect(during).toMatchObject({ step: 'disconnecting', cause: 'platform_unavailable', receipt: undefined })
  expect(still.endUserId).toBe(endUser.id)
  expect(await now(id)).toMatchObject({ step: 'done', cause: undefined })
})

test('wipes a grant that can be neither used nor revoked, and reports it in the receipt', async () => {
  const escrowed = await world.escrow(await world.addLink({ endUser }))
  const link = await world.move(escrowed, 'needs_attention', { cause: 'answer_unreadable', resumeFrom: 'escrowed' })
  world.provider.revoke = async () => 'refused'

  const { id } = await start()
  await sweep(10)

  expect((await now(id)).receipt?.grants).toMatchObject([{ linkId: link.id, revocation: 'refused' }])
  expect(world.tables.escrow.size).toBe(0)
})

test('waits a limited time for a webhook, then removes the user from its message', async () => {
  const wanted = { url: 'https://acme.example/hooks', events: ['connection.disconnected' as const] }
  await createWebhook(world, { caller: operator, actor: byKey, tenant: 'acme', ...wanted })
  await world.addConnection({ endUser })
  const { send } = world.webhookSender
  world.webhookSender.send = async () => ({ failureReason: 'unreachable' })
  const { id } = await start()
  await sweep(5)
  const during = await now(id)
  await sweep(2, maxErasureNotifySeconds)
  const after = await now(id)
  world.webhookSender.send = send
  await sweep(3, 60 * 60)

  expect([during.step, after.step]).toEqual(['notifying', 'done'])
  const told = world.webhookSender.sent.map(({ body }) => JSON.parse(body))
  expect(told).toMatchObject([{ type: 'connection.disconnected', data: { endUser: { id } } }])
})

test('erases what starts during the erasure', async () => {
  const { id } = await start()
  // The user connects again during the last step.
  world.tables.erasures.set(id, {
    ...world.tables.erasures.get(id)!,
    step: 'erasing',
    endUserId: endUser.id,
    dueAt: world.now(),
  })
  const late = await world.addConnection({ endUser })

  await sweep(6)

  expect(await world.found(late.id)).toMatchObject({ status: 'disconnected', endUserId: id })
})

test('the same user can connect again and be erased again', async () => {
  const { id } = await start()
  await sweep(5)
  const again = await world.addConnection({ endUser })

  const second = await start()
  const before = await world.found(again.id)
  await sweep(5)

  expect(before.endUserId).toBe(endUser.id)
  expect(second.id).not.toBe(id)
  expect(second.subject).toBe((await now(id)).subject)
  expect((await now(second.id)).receipt?.removed.connections).toBe(1)
})

test('a repeated request returns the same erasure, and an unknown user has an empty receipt', async () => {
  const [first, second] = [await start({ endUserId: 'nobody' }), await start({ endUserId: 'nobody' })]
  await sweep(3)

  const { receipt } = await now(first.id)
  expect(second.id).toBe(first.id)
  expect(receipt?.grants).toEqual([])
  expect(Object.values(receipt?.removed ?? {}).every((count) => count === 0)).toBe(true)
  expect(world.actions().filter((action) => action === 'end_user.erased')).toHaveLength(1)
})

test('a tenant’s key erases only its own users', async () => {
  const { id } = await start({ caller: ofTenant('acme') })

  expect((await readErasure(world, { caller: ofTenant('acme'), id })).id).toBe(id)
  await expect(readErasure(world, { caller: ofTenant('other'), id })).rejects.toMatchObject({ code: 'not_found' })
  await expect(start({ caller: ofTenant('other') })).rejects.toMatchObject({ code: 'not_found' })
  await expect(start({ tenant: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
})

test('rejects a reason that names the user, because it is kept', async () => {
  await expect(start({ reason: 'USER-1 asked for it' })).rejects.toMatchObject({ code: 'input_invalid' })
  expect(world.tables.erasures.size).toBe(0)
})

test('finds erasures by user ID without storing it', async () => {
  await start({ endUserId: 'user-9' })
  const { id } = await start()
  await sweep(5)
  const list = (more: object) =>
    listErasures(world, {
      caller: operator,
      tenant: 'acme',
      endUserId: endUser.id,
      cursor: undefined,
      limit: 10,
      ...more,
    })

  expect((await list({})).data.map((erasure) => erasure.id)).toEqual([id])
  expect((await list({ caller: ofTenant('acme'), tenant: undefined })).data).toHaveLength(1)
  await expect(list({ tenant: undefined })).rejects.toMatchObject({ code: 'input_invalid' })
})
