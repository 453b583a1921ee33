import { beforeEach, expect, test } from 'vitest'
import { cancelCampaign } from '../../../../src/onboarding/campaigns/flows/cancel-campaign.ts'
import {
  countNeedingRelink,
  listCampaignMembers,
  listCampaigns,
  readCampaign,
} from '../../../../src/onboarding/campaigns/flows/read-campaigns.ts'
import { startCampaign } from '../../../../src/onboarding/campaigns/flows/start-campaign.ts'
import { addBroken } from '../../../support/memory/broken-connections.ts'
import { bySupport, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let id: string
let sessionId: string
beforeEach(async () => {
  world = await openMemoryWorld()
  await addBroken(world)
  const about = { cause: 'grant_revoked', tenant: 'acme', actor: bySupport, reason: 'hacked' } as const
  const started = await startCampaign(world, world.settings, about)
  id = started.campaign.id
  sessionId = started.members[0]!.sessionId
})

const cancel = (tenant?: string) => cancelCampaign(world, { id, tenant, actor: bySupport, reason: 'wrong people' })
const need = { cause: 'grant_revoked', tenant: undefined, integration: undefined } as const
const page = { cursor: undefined, limit: 10 }

test('cancelling ends unused URLs, and their connections can join another campaign', async () => {
  const before = await countNeedingRelink(world, need)

  const { campaign, counts } = await cancel()

  expect(campaign.cancelledAt).toEqual(world.now())
  expect(counts).toMatchObject({ open: 0, cancelled: 1 })
  expect((await world.sessions.find(sessionId))?.cancelledAt).toBeDefined()
  expect([before, await countNeedingRelink(world, need)]).toEqual([0, 1])
})

test('cancelling again changes nothing', async () => {
  const first = await cancel()
  world.clock.pass(60)

  expect(await cancel()).toEqual(first)
  expect(world.actions().filter((action) => action === 'campaign.cancelled')).toHaveLength(1)
})

test('Z6: stops users at the provider, and they cannot start again', async () => {
  const link = await world.openLink((await world.sessions.find(sessionId))!)

  const { counts } = await cancel()

  expect(counts).toMatchObject({ started: 0, failed: 1 })
  expect(await world.links.find(link.id)).toMatchObject({ state: 'abandoned', cause: 'session_cancelled' })
  expect((await world.sessions.find(sessionId))?.cancelledAt).toBeDefined()
})

test('a link whose grant has arrived continues', async () => {
  const link = await world.move(await world.openLink((await world.sessions.find(sessionId))!), 'exchanging')

  await cancel()

  expect((await world.links.find(link.id))?.state).toBe('exchanging')
})

test("another tenant's campaign reads like a missing one", async () => {
  await expect(cancel('other')).rejects.toMatchObject({ code: 'not_found', more: { owner: 'acme' } })
  await expect(readCampaign(world, { id, tenant: 'other' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(listCampaignMembers(world, { id, tenant: 'other', ...page })).rejects.toMatchObject({
    code: 'not_found',
  })
  await expect(readCampaign(world, { id: 'cmp_0' })).rejects.toMatchObject({ code: 'not_found' })
  expect((await listCampaigns(world, { tenant: 'other', ...page })).data).toEqual([])
})

test('a tenant sees its own campaigns and their members', async () => {
  expect(await readCampaign(world, { id, tenant: 'acme' })).toMatchObject({ campaign: { id }, cancellable: 1 })
  expect((await listCampaigns(world, { tenant: 'acme', ...page })).data).toHaveLength(1)
  expect((await listCampaignMembers(world, { id, tenant: 'acme', ...page })).data).toMatchObject([
    { sessionId, status: 'open' },
  ])
})
