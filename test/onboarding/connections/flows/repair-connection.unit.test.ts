import { beforeEach, expect, test } from 'vitest'
import { repairConnection } from '../../../../src/onboarding/connections/flows/repair-connection.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { byBrowser, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
beforeEach(async () => {
  world = await openMemoryWorld()
  connection = await world.addConnection()
})

const page = 'https://auth.platform.example/oauth/repair/1'

const ticketFor = (caller: { endUserId?: string; isRemembered?: boolean } = {}, name = connection.name) => {
  const person = { endUserId: undefined, isRemembered: false, ...caller }
  world.functionAccess.tickets.set(`${name}|ticket`, { id: 'repair-1', page, ...person })
}
const repair = async (returned?: { sessionId: string; completionCode: string }) => {
  const asked = { connectionId: connection.id, ticket: 'ticket', actor: byBrowser, returned }
  return (await repairConnection(world, world.settings, asked)).url
}
const sessionAt = (url: string) =>
  world.sessions.byToken(world.tokens.digest(url.replace('https://connect.example/connect/', '')))

test('a ticket leads to a re-link of the same account for fifteen minutes, once', async () => {
  ticketFor({ endUserId: connection.endUserId })

  const url = await repair()

  const session = await sessionAt(url)
  expect(session).toMatchObject({ connectionId: connection.id, allowOtherAccount: false, returnUrl: undefined })
  expect(session && session.expiresAt.getTime() - world.now().getTime()).toBe(15 * 60_000)
  expect(world.tables.audit.find(({ entry }) => entry.action === 'relink.minted')?.entry).toMatchObject({
    facts: { following: 'repair_page' },
  })
  await expect(repair()).rejects.toMatchObject({ code: 'connect_ended' })
})

test('T21: a ticket of another connection or of another end user leads nowhere', async () => {
  ticketFor({}, 'another')
  await expect(repair()).rejects.toMatchObject({ code: 'connect_ended' })
  ticketFor({ endUserId: 'somebody-else' })
  await expect(repair()).rejects.toMatchObject({ code: 'connect_ended' })
  expect(world.actions()).not.toContain('relink.minted')
})

test('if the account is not known, the platform has to confirm the person before the code is exchanged', async () => {
  world.connections.find = async () => ({ ...connection, account: undefined })
  ticketFor()

  const session = await sessionAt(await repair())

  expect(session?.returnUrl).toBe(`https://connect.example/repair?${new URLSearchParams({ page })}`)
  expect(session?.completionChallenge).toBe(world.tokens.challenge(world.tokens.fresh('repair|repair-1')))
})

test('T34: a person known by a remembered browser repairs a known account, and is sent to the product otherwise', async () => {
  ticketFor({ isRemembered: true })
  const known = await repair()
  world.connections.find = async () => ({ ...connection, account: undefined })
  ticketFor({ isRemembered: true })
  const unknown = await repair()

  expect((await sessionAt(known))?.connectionId).toBe(connection.id)
  expect(unknown).toBe(`/repair/${connection.id}`)
  expect(world.actions().filter((action) => action === 'relink.minted')).toHaveLength(1)
})

test('T21: a code of a session of another connection confirms nothing', async () => {
  const other = await world.addConnection()
  world.connections.find = async () => ({ ...connection, account: undefined })
  ticketFor()
  const session = await sessionAt(await repair())
  world.connections.find = async () => ({ ...other, id: connection.id, account: undefined })
  world.sessions.find = async () => session && { ...session, connectionId: other.id }
  ticketFor()

  await expect(repair({ sessionId: session?.id ?? '', completionCode: 'x' })).rejects.toMatchObject({
    code: 'connect_ended',
  })
})

test('a disconnected connection cannot be repaired', async () => {
  world.connections.find = async () => ({ ...connection, status: 'disconnected' as const })
  ticketFor()

  await expect(repair()).rejects.toMatchObject({ code: 'connection_disconnected' })
})
