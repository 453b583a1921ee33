import { beforeEach, expect, test } from 'vitest'
import type { Link } from '../../../../src/onboarding/domain/link.ts'
import type { Platform } from '../../../../src/onboarding/domain/ports/platform.ts'
import { callNotes } from '../../../../src/onboarding/provisioning/flows/call-notes.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let link: Link
beforeEach(async () => {
  world = await openMemoryWorld()
  link = await world.escrow(await world.addLink())
})

/** A platform whose one request takes 7 ms. */
function answering() {
  const createFunction: Platform['createFunction'] = async ({ note }) => {
    note?.({ call: 'function_create', at: new Date(0), status: 200, durationMs: 7 })
    return { url: 'https://functions.example/' }
  }
  return { ...world, platform: { ...world.platform, createFunction } }
}

const move = (needs: Pick<MemoryWorld, 'links'>, from = link) =>
  needs.links.move(from, 'connection_ready', {}, auditEntry('link.connection_ready', { link: from.id }))
const written = () => world.tables.links.get(link.id)?.calls ?? []

test('writes calls with the next move, once', async () => {
  const needs = callNotes(link).over(answering())
  await needs.platform.createFunction(link)
  const moved = (await move(needs)) as Link
  await needs.links.postpone(moved, 5, 'platform_unavailable')

  expect(written()).toEqual([{ call: 'function_create', at: new Date(0), status: 200, durationMs: 7, attempt: 1 }])
})

test('a failed move writes nothing, and the next move writes the same calls', async () => {
  const needs = answering()
  const { move: working } = needs.links
  let isAway = true
  const links = {
    ...needs.links,
    move: (...args: Parameters<typeof working>) => (isAway ? Promise.reject(new Error('away')) : working(...args)),
  }
  const noting = callNotes(link).over({ ...needs, links })
  await noting.platform.createFunction(link)

  await expect(move(noting)).rejects.toThrow('away')
  isAway = false
  await move(noting)

  expect(written()).toHaveLength(1)
})

test('a call contains the attempt of its step, which restarts at each step', async () => {
  const tried = (await world.links.postpone(link, 0, 'platform_unavailable')) as Link
  const needs = callNotes(tried).over(answering())
  await needs.platform.createFunction(tried)
  const moved = (await move(needs, tried)) as Link
  await needs.platform.createFunction(moved)
  await needs.links.postpone(moved, 5, 'platform_unavailable')

  expect(written().map(({ attempt }) => attempt)).toEqual([2, 1])
})

test('in test mode no calls are recorded, because no other server is called', async () => {
  const needs = answering()

  expect(callNotes({ ...link, tenant: 'test_acme' }).over(needs)).toBe(needs)
})
