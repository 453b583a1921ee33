import { beforeEach, expect, test } from 'vitest'
import { consentAgain, followLink } from '../../../../src/onboarding/linking/flows/follow-link.ts'
import { isAway } from '../../../support/memory/doubles.ts'
import { byBrowser, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const needsConsent = async () => {
  const escrowed = await world.escrow(await world.addLink())
  return world.move(escrowed, 'authorizing', { forcedConsent: true, escrow: null })
}
const again = (linkId: string, browser: string) =>
  consentAgain(world, world.settings, { linkId, browsers: [browser], actor: byBrowser })

test('only the browser that started a link can follow it', async () => {
  const link = await world.addLink()

  expect(await followLink(world, { linkId: link.id, browsers: ['other', link.browser] })).toMatchObject({
    link: { id: link.id },
    tenant: { id: 'acme' },
    integration: { id: 'files' },
  })
  await expect(followLink(world, { linkId: link.id, browsers: ['other'] })).rejects.toMatchObject({
    code: 'connect_ended',
  })
  await expect(followLink(world, { linkId: 'lnk_0', browsers: [link.browser] })).rejects.toMatchObject({
    code: 'connect_ended',
  })
})

test('shows the outcome of a link whose integration was removed', async () => {
  const link = await world.move(await world.addLink(), 'denied')
  world.removeIntegration('files')

  expect((await followLink(world, { linkId: link.id, browsers: [link.browser] })).integration).toBeUndefined()
})

test('a re-link shows the expected account', async () => {
  const connection = await world.addConnection()
  const link = await world.openLink(await world.addSession({ connectionId: connection.id }))

  expect((await followLink(world, { linkId: link.id, browsers: [link.browser] })).account).toEqual(connection.account)
})

test('redirects to a required second consent', async () => {
  const link = await needsConsent()

  const url = await again(link.id, link.browser)

  expect(new URL(url).searchParams.get('prompt')).toBe('consent')
})

test('rejects a second consent that is not required', async () => {
  const link = await world.addLink()

  await expect(again(link.id, link.browser)).rejects.toMatchObject({ code: 'connect_ended' })
})

test('an unavailable provider leaves the link unchanged', async () => {
  const link = await needsConsent()
  world.provider.authorizationUrl = isAway('provider_unavailable')

  await expect(again(link.id, link.browser)).rejects.toMatchObject({ code: 'provider_unavailable' })
  expect((await world.links.find(link.id))?.state).toBe('authorizing')
})

test('a removed integration ends the link and tells the user why', async () => {
  const link = await needsConsent()
  world.removeIntegration('files')

  expect(await again(link.id, link.browser)).toBe(`/links/${link.id}`)
  expect(await world.links.find(link.id)).toMatchObject({ state: 'failed', cause: 'integration_removed' })
})

test('O13: a failed link that the user can fix offers a retry until its session expires', async () => {
  const link = await world.move(await world.addLink(), 'failed', { cause: 'scope_missing' })
  const offers = async () => (await followLink(world, { linkId: link.id, browsers: [link.browser] })).mayTryAgain

  const before = await offers()
  world.clock.pass(901)

  expect([before, await offers()]).toEqual([true, false])
})
