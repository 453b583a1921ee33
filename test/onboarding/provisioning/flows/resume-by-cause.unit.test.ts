import { beforeEach, expect, test } from 'vitest'
import type { Cause } from '../../../../src/onboarding/domain/cause.ts'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import { resumeByCause } from '../../../../src/onboarding/provisioning/flows/stalled-links/resume-by-cause.ts'
import { sweepLinks } from '../../../../src/onboarding/provisioning/flows/sweep-links.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const stopped = async (cause: Cause, session = {}): Promise<Link> =>
  world.move(await world.escrow(await world.addLink(session)), 'needs_attention', { cause, resumeFrom: 'escrowed' })
const resume = (more = {}) =>
  resumeByCause(world, { caller: operator, actor: byKey, cause: 'platform_refused', reason: 'fixed', ...more })
const stateOf = async ({ id }: Link) => (await world.links.find(id))?.state

test('O4: resumes all links with the cause, and no others', async () => {
  const links = [await stopped('platform_refused'), await stopped('platform_refused'), await stopped('name_taken')]

  const result = await resume()
  const states = await Promise.all(links.map(stateOf))
  await sweepLinks(world, world.settings)

  expect(result).toEqual({ resumed: 2, skipped: 0, hasMore: false })
  expect(states).toEqual(['escrowed', 'escrowed', 'needs_attention'])
  expect(await Promise.all(links.map(stateOf))).toEqual(['linked', 'linked', 'needs_attention'])
  expect(world.actions().filter((action) => action === 'link.resumed')).toHaveLength(2)
})

test('O4: resumes only links of the given tenant', async () => {
  await world.addTenant('other')
  const [own, others] = [await stopped('platform_refused'), await stopped('platform_refused', { tenant: 'other' })]

  await resume({ tenant: 'other' })

  expect([await stateOf(own), await stateOf(others)]).toEqual(['needs_attention', 'escrowed'])
})

test('resumes only links of the given integration', async () => {
  const link = await stopped('platform_refused')

  const others = await resume({ integration: 'another' })
  const own = await resume({ integration: link.integration })

  expect([others.resumed, own.resumed]).toEqual([0, 1])
})

test('O4: skips a link that was resumed concurrently', async () => {
  const link = await stopped('platform_refused')
  const { list } = world.links
  world.links.list = async (query) => {
    const page = await list(query)
    await world.move(link, 'escrowed', { takeOver: true })
    return page
  }

  expect(await resume()).toEqual({ resumed: 0, skipped: 1, hasMore: false })
})

test('O4: requires a deployment key', async () => {
  await expect(resume({ caller: ofTenant('acme') })).rejects.toMatchObject({ code: 'key_limited' })
})
