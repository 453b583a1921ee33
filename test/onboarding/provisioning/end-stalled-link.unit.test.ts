// Support ends a link that nothing will come of: no link that needs attention is a dead end.
import { beforeEach, expect, test } from 'vitest'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import { endStalledLink } from '../../../src/onboarding/provisioning/flows/stalled-links/end-stalled-link.ts'
import { bySupport, type MemoryWorld, openMemoryWorld, operator } from '../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const parked = async (changes = {}): Promise<Link> =>
  world.move(await world.escrow(await world.addLink()), 'needs_attention', {
    cause: 'answer_unreadable',
    resumeFrom: 'escrowed',
    ...changes,
  })

const end = async ({ id }: Link) => {
  const request = { caller: operator, actor: bySupport, id, reason: 'ticket 42' }
  return (await endStalledLink(world, world.settings, request)).done
}

const lastEntries = () => world.tables.audit.slice(-2).map(({ entry }) => entry)

test('revokes the grant, empties the escrow and sends an event', async () => {
  const link = await parked()

  expect(await end(link)).toMatchObject({ state: 'failed', cause: 'answer_unreadable' })
  expect(world.provider.calls).toContain('revoke granted')
  expect(await world.secrets.escrow(link.id)).toBeUndefined()
  expect(world.events()).toEqual(['link.failed'])
  expect(lastEntries()).toMatchObject([
    { action: 'link.ended', actor: bySupport, reason: 'ticket 42', before: { cause: 'answer_unreadable' } },
    { action: 'link.failed', facts: { grant: 'revoked' } },
  ])
})

test.each([
  ['rejects the revocation', () => (world.provider.revoke = async () => 'refused')],
  ['has no revocation endpoint', () => (world.provider.revoke = async () => 'not_offered')],
  ['was removed from the deployment', () => world.removeIntegration('files')],
])('S4: deletes and audits a grant whose provider %s', async (_, arrange) => {
  const link = await parked()
  arrange()

  expect(await end(link)).toMatchObject({ state: 'failed', cause: 'answer_unreadable' })
  expect(await world.secrets.escrow(link.id)).toBeUndefined()
  expect(world.events()).toEqual(['link.failed'])
  expect(lastEntries().at(-1)).toMatchObject({ action: 'link.failed', actor: bySupport, facts: { grant: 'unrevoked' } })
})

test('cannot end a re-link whose grant may be on the platform', async () => {
  const connection = await world.addConnection()
  const relink = await world.escrow(await world.addLink({ connectionId: connection.id }))
  const tested = await world.move(await world.move(relink, 'testing'), 'tested')
  const link = await world.move(tested, 'needs_attention', { cause: 'platform_refused', resumeFrom: 'tested' })

  await expect(end(link)).rejects.toMatchObject({ code: 'link_not_endable' })
  expect(await world.links.find(link.id)).toMatchObject({ state: 'needs_attention' })
})

test('only a link that needs attention can be ended, and only once', async () => {
  const link = await parked()
  await end(link)

  await expect(end(link)).rejects.toMatchObject({ code: 'link_not_endable' })
  await expect(end(await world.addLink())).rejects.toMatchObject({ code: 'link_not_endable' })
})
