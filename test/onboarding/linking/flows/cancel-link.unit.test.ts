import { beforeEach, expect, test } from 'vitest'
import { cancelLink } from '../../../../src/onboarding/linking/flows/cancel-link.ts'
import { startLink } from '../../../../src/onboarding/linking/flows/start-link.ts'
import { isAway } from '../../../support/memory/doubles.ts'
import { byBrowser, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const cancel = (token: string, browsers: string[] = []) =>
  cancelLink(world, world.settings, { token, actor: byBrowser, browsers })
const start = (token: string, browsers: string[] = []) =>
  startLink(world, world.settings, { token, actor: byBrowser, browsers })

const ended = { state: 'cancelled', cause: 'user_cancelled' }

test('cancelling ends a link and notifies the tenant without calling the provider', async () => {
  const session = await world.addSession()
  world.provider.authorizationUrl = isAway('provider_unavailable')

  const { link, browser } = await cancel(session.token)

  expect(link).toMatchObject({ ...ended, sessionId: session.id })
  expect(await world.links.find(link.id)).toMatchObject({ ...ended, browser: world.tokens.digest(browser!) })
  expect(world.events()).toEqual(['link.failed'])
  expect(world.actions()).toEqual(expect.arrayContaining(['link.started', 'link.cancelled']))
})

test('cancels the link of a user who came back with the back button', async () => {
  const session = await world.addSession()
  const started = await start(session.token)

  const { link, browser } = await cancel(session.token, [world.tokens.digest(started.browser!)])

  expect(link).toMatchObject({ ...ended, id: started.linkId })
  expect(browser).toBeUndefined()
})

test('another browser cannot cancel what one has started', async () => {
  const session = await world.addSession()
  const { linkId } = await start(session.token)

  await expect(cancel(session.token, ['other'])).rejects.toMatchObject({ code: 'connect_ended' })

  expect(await world.links.find(linkId)).toMatchObject({ state: 'authorizing' })
})

test('a cancelled session can be started again only in the same browser', async () => {
  const session = await world.addSession()
  const { browser } = await cancel(session.token)

  await expect(start(session.token, ['other'])).rejects.toMatchObject({ code: 'connect_ended' })
  const { linkId } = await start(session.token, [world.tokens.digest(browser!)])

  expect(await world.links.find(linkId)).toMatchObject({ state: 'authorizing', sessionId: session.id })
})

test('a re-link that was cancelled can be started from any browser while its link lasts', async () => {
  const connection = await world.addConnection()
  const session = await world.addSession({ connectionId: connection.id })
  const first = await cancel(session.token)

  const second = await cancel(session.token)
  const { linkId } = await start(session.token)

  expect(new Set([first.link.id, second.link.id, linkId]).size).toBe(3)
  expect(await world.links.find(first.link.id)).toMatchObject(ended)
})

test.each([
  ['of an unknown account', { account: undefined }, {}],
  ['that accepts any account', {}, { allowOtherAccount: true }],
])('a cancelled re-link %s can be started again only by the same browser', async (_of, changes, terms) => {
  const connection = await world.addConnection({}, changes)
  const session = await world.addSession({ connectionId: connection.id, ...terms })
  const { browser } = await cancel(session.token)

  await expect(start(session.token)).rejects.toMatchObject({ code: 'connect_ended' })
  await expect(cancel(session.token, ['other'])).rejects.toMatchObject({ code: 'connect_ended' })
  const { linkId } = await start(session.token, [world.tokens.digest(browser!)])

  expect(await world.links.find(linkId)).toMatchObject({ state: 'authorizing', connectionId: connection.id })
})
