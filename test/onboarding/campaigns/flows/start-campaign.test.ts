import { beforeEach, expect, test } from 'vitest'
import { countClientless } from '../../../../src/onboarding/campaigns/flows/sort-by-client.ts'
import {
  repeatAddresses,
  type StartCampaign,
  startCampaign,
} from '../../../../src/onboarding/campaigns/flows/start-campaign.ts'
import { mostMembers } from '../../../../src/onboarding/domain/campaign.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { longestUnpinnedSeconds } from '../../../../src/onboarding/domain/relink.ts'
import { addBroken } from '../../../support/memory/broken-connections.ts'
import { byKey, bySupport, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const start = (more: Partial<StartCampaign> = {}) =>
  startCampaign(
    world,
    world.settings,
  )({ cause: 'grant_revoked', actor: bySupport, reason: 'provider was hacked', ...more })
const week = 7 * 24 * 60 * 60

test('each connection in need gets an address that opens its re-link, and lives a week', async () => {
  const broken = await addBroken(world)

  const { members, campaign, remaining } = await start()

  expect([members.length, campaign.members, remaining]).toEqual([1, 1, 0])
  const token = members[0]!.url.replace('https://connect.example/connect/', '')
  expect(await world.sessions.byToken(world.tokens.digest(token))).toMatchObject({ connectionId: broken.id })
  expect(members[0]!.expiresAt).toEqual(new Date(world.now().getTime() + week * 1_000))
  expect(world.actions()).toContain('campaign.started')
})

test('addresses are shown once: neither the ledger nor the record has them', async () => {
  await addBroken(world)

  const { members } = await start()

  const token = members[0]!.url.split('/').at(-1)!
  expect(JSON.stringify([...world.tables.sessions.values(), ...world.tables.audit])).not.toContain(token)
})

test('an address that no account pins ends after a day', async () => {
  const broken = await addBroken(world)
  world.tables.connections.set(broken.id, { ...world.tables.connections.get(broken.id)!, account: undefined })

  const { members } = await start({ anyAccount: true })

  expect(members[0]!.expiresAt.getTime() - world.now().getTime()).toBe(longestUnpinnedSeconds * 1_000)
  expect((await world.sessions.find(members[0]!.sessionId))?.expiresAt).toEqual(members[0]!.expiresAt)
})

test('R2: by an API key no address is made that nobody completes and no account pins', async () => {
  const [pinned, broken] = [await addBroken(world), await addBroken(world)]
  world.tables.connections.set(broken.id, { ...world.tables.connections.get(broken.id)!, account: undefined })

  const { members, remaining } = await start({ actor: byKey, tenant: 'acme' })

  expect(members.map(({ connectionId }) => connectionId)).toEqual([pinned.id])
  expect(remaining).toBe(0)
})

test('R9: support includes connections whose account is not known only where it says so, and the record has it', async () => {
  const [pinned, broken] = [await addBroken(world), await addBroken(world)]
  world.tables.connections.set(broken.id, { ...world.tables.connections.get(broken.id)!, account: undefined })

  const unaware = await start()
  const aware = await start({ anyAccount: true })

  expect(unaware.members.map(({ connectionId }) => connectionId)).toEqual([pinned.id])
  expect(aware.members.map(({ connectionId }) => connectionId)).toEqual([broken.id])
  const facts = world.tables.audit
    .filter(({ entry }) => entry.action === 'campaign.started')
    .map(({ entry }) => entry.facts)
  expect(facts).toMatchObject([{ members: 1 }, { members: 1, accountCompared: false }])
  expect(facts[0]).not.toHaveProperty('accountCompared')
})

test('only connections of that tenant, integration and cause are asked', async () => {
  await world.addTenant('other')
  await addBroken(world)
  const wanted = await addBroken(world, { tenant: 'other' })
  await addBroken(world, { tenant: 'other', integration: 'mail' })

  const { members } = await start({ tenant: 'other', integration: wanted.integration })

  expect(members.map(({ connectionId }) => connectionId)).toEqual([wanted.id])
})

test('no address is made that could not work: without an OAuth client a connection is left out', async () => {
  const linkable = await addBroken(world)
  await addBroken(world, { integration: 'gone' })

  const clientless = await countClientless(world)({ cause: 'grant_revoked', tenant: undefined, integration: undefined })
  const { members } = await start()

  expect([...clientless]).toEqual([['gone', 1]])
  expect(members.map(({ connectionId }) => connectionId)).toEqual([linkable.id])
  await expect(start()).rejects.toMatchObject({ code: 'integration_unavailable' })
})

test('whoever keeps the seed of a campaign can have its addresses again, and nobody else', async () => {
  await addBroken(world)

  const started = await start()
  const again = await repeatAddresses(world, world.settings)(started.seed)

  expect(again.members).toEqual(started.members)
  await expect(repeatAddresses(world, world.settings)(world.tokens.id('idm'))).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('a campaign about nobody is refused, and leaves nothing', async () => {
  await world.addConnection()

  await expect(start()).rejects.toMatchObject({ code: 'campaign_empty' })
  expect(world.actions()).not.toContain('campaign.started')
})

test('nobody gets a second address while the first works', async () => {
  await addBroken(world)
  await start()

  await expect(start()).rejects.toMatchObject({ code: 'campaign_empty' })
})

test('who starts too many has to wait', async () => {
  for (let count = 0; count < 10; count++) await start().catch(() => undefined)
  await addBroken(world)

  await expect(start()).rejects.toMatchObject({ code: 'rate_limited' })
})

test('a campaign takes so many, and says how many are left', async () => {
  const connection = await addBroken(world)
  world.campaigns.needingRelink = async ({ limit }) =>
    Array.from({ length: limit }, (_, each): Connection => ({ ...connection, id: `con_${each}` }))
  world.campaigns.countNeedingRelink = async () => mostMembers + 7
  world.campaigns.create = async (campaign, members) => ({
    ...campaign,
    members: members.length,
    createdAt: world.now(),
    expiresAt: world.now(),
    cancelledAt: undefined,
  })

  const { members, remaining } = await start()

  expect([members.length, remaining]).toEqual([mostMembers, 7])
})

test('a second try of the same request shows the same addresses, as they were then', async () => {
  await addBroken(world)
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }
  const first = await start({ claim })
  await world.openLink((await world.sessions.find(first.members[0]!.sessionId))!)

  const second = await start({ claim: { ...claim, isRetry: true } })

  expect(second).toEqual(first)
  expect(world.tables.campaigns.size).toBe(1)
})
