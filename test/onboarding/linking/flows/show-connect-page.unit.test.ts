import { beforeEach, expect, test } from 'vitest'
import { type ConnectOffer, showConnectPage } from '../../../../src/onboarding/linking/flows/show-connect-page.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { byBrowser, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const show = async (token: string, browsers: string[] = []) =>
  (await showConnectPage(world, { token, actor: byBrowser, browsers })) as ConnectOffer

test('showing the page does not start the session', async () => {
  const { token } = await world.addSession()

  const offers = [await show(token), await show(token)]

  expect(offers[1]).toMatchObject({ tenant: { id: 'acme' }, integration: { id: 'files' }, connection: undefined })
  expect(world.tables.links.size).toBe(0)
})

test('a re-link shows the connection that it repairs', async () => {
  const connection = await world.addConnection()
  const { token } = await world.addSession({ connectionId: connection.id })

  expect((await show(token)).connection?.id).toBe(connection.id)
})

test('unknown, cancelled, expired and used sessions return the same error', async () => {
  const withdrawn = await world.addSession()
  await world.sessions.cancel(withdrawn.id, auditEntry('session.cancelled'))
  const used = await world.addSession()
  await world.openLink(used)
  const expired = await world.addSession({ ttlSeconds: 1 })
  world.clock.pass(2)

  const refused = await Promise.all(
    ['guess', withdrawn.token, used.token, expired.token].map((token) => show(token).catch(({ message }) => message)),
  )

  expect(new Set(refused).size).toBe(1)
  expect(refused[0]).toContain('connect_ended')
})

test('the browser that started the session can view it again', async () => {
  const session = await world.addSession()
  const link = await world.openLink(session)

  expect((await show(session.token, [link.browser])).session.linkId).toBe(link.id)
})

test('returns an error for a disconnected connection', async () => {
  const connection = await world.addConnection()
  const { token } = await world.addSession({ connectionId: connection.id })
  world.connections.find = async () => ({ ...connection, status: 'disconnected' })

  await expect(show(token)).rejects.toMatchObject({ code: 'connect_ended' })
})

test('a removed integration is reported and audited', async () => {
  const { token } = await world.addSession()
  world.removeIntegration('files')

  await expect(show(token)).rejects.toMatchObject({ code: 'integration_unavailable' })
  expect(world.actions()).toContain('connect.rejected')
})
