import { beforeEach, expect, test } from 'vitest'
import { cancelSession, listLinks, readLink, readSession } from '../../../../src/onboarding/linking/flows/read-links.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
  await world.addTenant('other')
})

const any = { tenant: undefined, status: undefined, cause: undefined, cursor: undefined, limit: 10 }
const cancel = (id: string, caller = ofTenant('acme')) => cancelSession(world, { caller, actor: byKey, id })

test("another tenant's session and link read like missing ones, and the audit entry can name their owner", async () => {
  const link = await world.addLink()
  const caller = ofTenant('other')

  expect(await readLink(world, { caller: ofTenant('acme'), id: link.id })).toMatchObject({ id: link.id })
  for (const read of [readLink(world, { caller, id: link.id }), readSession(world, { caller, id: link.sessionId })]) {
    await expect(read).rejects.toMatchObject({ code: 'not_found', more: { owner: 'acme' } })
  }
})

test('a tenant lists only its own links, whatever the filter', async () => {
  const own = await world.addLink()
  const others = await world.addLink({ tenant: 'other' })
  const listed = async (caller: typeof operator | ReturnType<typeof ofTenant>, tenant?: string) =>
    (await listLinks(world, { caller, ...any, tenant })).data.map(({ id }) => id)

  expect(await listed(ofTenant('acme'))).toEqual([own.id])
  expect(await listed(ofTenant('acme'), 'other')).toEqual([])
  expect(await listed(operator, 'other')).toEqual([others.id])
  expect((await listed(operator)).toSorted()).toEqual([own.id, others.id].toSorted())
})

test('cancelling a session is idempotent', async () => {
  const { id } = await world.addSession()

  const cancelled = [await cancel(id), await cancel(id)]

  expect(cancelled[1]?.cancelledAt).toEqual(cancelled[0]?.cancelledAt)
  expect(world.actions().filter((action) => action === 'session.cancelled')).toHaveLength(1)
})

test('cannot cancel a started session', async () => {
  const { sessionId } = await world.addLink()

  await expect(cancel(sessionId)).rejects.toMatchObject({ code: 'session_started' })
})

test("cannot cancel another tenant's session", async () => {
  const { id } = await world.addSession()

  await expect(cancel(id, ofTenant('other'))).rejects.toMatchObject({ code: 'not_found' })
  expect((await world.sessions.find(id))?.cancelledAt).toBeUndefined()
})
