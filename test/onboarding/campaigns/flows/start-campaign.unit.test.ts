import { beforeEach, expect, test } from 'vitest'
import { countClientless } from '../../../../src/onboarding/campaigns/flows/sort-by-client.ts'
import {
  repeatAddresses,
  type StartCampaign,
  startCampaign,
} from '../../../../src/onboarding/campaigns/flows/start-campaign.ts'
import { maxMembers } from '../../../../src/onboarding/domain/campaign.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { maxUnpinnedSeconds } from '../../../../src/onboarding/domain/relink.ts'
import { addBroken } from '../../../support/memory/broken-connections.ts'
import { byKey, bySupport, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const start = (more: Partial<StartCampaign> = {}) =>
  startCampaign(world, world.settings, {
    cause: 'grant_revoked',
    actor: bySupport,
    reason: 'provider was hacked',
    ...more,
  })
const week = 7 * 24 * 60 * 60

test('each broken connection gets a re-link URL that lives a week', async () => {
  const broken = await addBroken(world)

  const { members, campaign, remaining } = await start()

  expect([members.length, campaign.members, remaining]).toEqual([1, 1, 0])
  const token = members[0]!.url.replace('https://connect.example/connect/', '')
  expect(await world.sessions.byToken(world.tokens.digest(token))).toMatchObject({ connectionId: broken.id })
  expect(members[0]!.expiresAt).toEqual(new Date(world.now().getTime() + week * 1_000))
  expect(world.actions()).toContain('campaign.started')
})

test('URLs are shown once and not stored', async () => {
  await addBroken(world)

  const { members } = await start()

  const token = members[0]!.url.split('/').at(-1)!
  expect(JSON.stringify([...world.tables.sessions.values(), ...world.tables.audit])).not.toContain(token)
})

test('a URL without a pinned account expires after a day', async () => {
  const broken = await addBroken(world)
  world.tables.connections.set(broken.id, { ...world.tables.connections.get(broken.id)!, account: undefined })

  const { members } = await start({ anyAccount: true })

  expect(members[0]!.expiresAt.getTime() - world.now().getTime()).toBe(maxUnpinnedSeconds * 1_000)
  expect((await world.sessions.find(members[0]!.sessionId))?.expiresAt).toEqual(members[0]!.expiresAt)
})

test('R2: an API key creates no URLs without completion or a pinned account', async () => {
  const [pinned, broken] = [await addBroken(world), await addBroken(world)]
  world.tables.connections.set(broken.id, { ...world.tables.connections.get(broken.id)!, account: undefined })

  const { members, remaining } = await start({ actor: byKey, tenant: 'acme' })

  expect(members.map(({ connectionId }) => connectionId)).toEqual([pinned.id])
  expect(remaining).toBe(0)
})

test('R9: support includes connections with unknown accounts only explicitly, and it is audited', async () => {
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

test('includes only connections of the tenant, integration and cause', async () => {
  await world.addTenant('other')
  await addBroken(world)
  const wanted = await addBroken(world, { tenant: 'other' })
  await addBroken(world, { tenant: 'other', integration: 'mail' })

  const { members } = await start({ tenant: 'other', integration: wanted.integration })

  expect(members.map(({ connectionId }) => connectionId)).toEqual([wanted.id])
})

test('leaves out connections without an OAuth client', async () => {
  const linkable = await addBroken(world)
  await addBroken(world, { integration: 'gone' })

  const clientless = await countClientless(world, { cause: 'grant_revoked', tenant: undefined, integration: undefined })
  const { members } = await start()

  expect([...clientless]).toEqual([['gone', 1]])
  expect(members.map(({ connectionId }) => connectionId)).toEqual([linkable.id])
  await expect(start()).rejects.toMatchObject({ code: 'integration_unavailable' })
})

test('the URLs can be recreated only from the seed of the campaign', async () => {
  await addBroken(world)

  const started = await start()
  const again = await repeatAddresses(world, world.settings, started.seed)

  expect(again.members).toEqual(started.members)
  await expect(repeatAddresses(world, world.settings, world.tokens.id('idm'))).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('rejects an empty campaign', async () => {
  await world.addConnection()

  await expect(start()).rejects.toMatchObject({ code: 'campaign_empty' })
  expect(world.actions()).not.toContain('campaign.started')
})

test('a connection gets no second URL while the first is valid', async () => {
  await addBroken(world)
  await start()

  await expect(start()).rejects.toMatchObject({ code: 'campaign_empty' })
})

test('campaigns are rate limited', async () => {
  for (let count = 0; count < 10; count++) await start().catch(() => undefined)
  await addBroken(world)

  await expect(start()).rejects.toMatchObject({ code: 'rate_limited' })
})

test('a campaign has a maximum size and reports the remaining connections', async () => {
  const connection = await addBroken(world)
  world.campaigns.needingRelink = async ({ limit }) =>
    Array.from({ length: limit }, (_, each): Connection => ({ ...connection, id: `con_${each}` }))
  world.campaigns.countNeedingRelink = async () => maxMembers + 7
  world.campaigns.create = async (campaign, members) => ({
    ...campaign,
    members: members.length,
    createdAt: world.now(),
    expiresAt: world.now(),
    cancelledAt: undefined,
  })

  const { members, remaining } = await start()

  expect([members.length, remaining]).toEqual([maxMembers, 7])
})

test('a retried request returns the same URLs', async () => {
  await addBroken(world)
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }
  const first = await start({ claim })
  await world.openLink((await world.sessions.find(first.members[0]!.sessionId))!)

  const second = await start({ claim: { ...claim, isRetry: true } })

  expect(second).toEqual(first)
  expect(world.tables.campaigns.size).toBe(1)
})
