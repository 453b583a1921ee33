import { beforeEach, expect, test } from 'vitest'
import { approveTools, noticeToolChange, readToolList } from '../../../src/onboarding/connections/flows/tool-list.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type { ToolList } from '../../../src/onboarding/domain/ports/tool-lists.ts'
import { byKey as actor, type MemoryWorld, openMemoryWorld } from '../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection

beforeEach(async () => {
  world = await openMemoryWorld()
  connection = await world.addConnection()
})

const at = new Date('2026-01-01T00:00:00Z')
const listed = (hash: string) => ({ hash, tools: [], instructions: undefined })
const change = { added: ['new'], removed: [], changed: ['old', 'older'], instructionsChanged: false }
const listOf = (approved: string, pending?: string, by = 'first listing'): ToolList => ({
  integration: 'files',
  position: 0,
  seenAt: at,
  approved: { ...listed(approved), at, by },
  pending: pending === undefined ? undefined : { ...listed(pending), since: at, change },
})
const notice = () => noticeToolChange(world, connection)
const payloads = () =>
  [...world.tables.outbox.values()]
    .filter(({ name }) => name === 'connection.tools_changed')
    .map(({ payload }) => payload)

test('a pending tool change is announced once with its size', async () => {
  world.toolLists.list = listOf('a')
  await notice()
  world.toolLists.list = listOf('a', 'b')
  await notice()
  await notice()

  expect(payloads()).toMatchObject([{ connectionId: connection.id, held: true, added: 1, removed: 0, changed: 2 }])
  expect(world.actions().filter((action) => action === 'connection.tools_changed')).toHaveLength(1)
})

test('announces an allowed tool change, but not an approved or reverted one', async () => {
  world.toolLists.list = listOf('a')
  await notice()
  world.toolLists.list = listOf('b', undefined, 'policy')
  await notice()
  for (const by of ['robot', 'first listing']) {
    world.toolLists.list = listOf(by, undefined, by)
    await notice()
  }

  expect(payloads()).toMatchObject([{ held: false }])
})

test('ignores an unavailable platform and one without pinned tools', async () => {
  await notice()
  world.toolLists.find = async () => {
    throw new DependencyError('platform_unavailable', { retry: {} })
  }
  await notice()

  expect(payloads()).toEqual([])
})

test('approves and audits the reviewed list, not a newer one', async () => {
  world.toolLists.list = listOf('a', 'b')
  const approve = (hash: string) => approveTools(world, { connectionId: connection.id, actor, hash })

  await expect(approve('c')).rejects.toMatchObject({ code: 'tool_list_outdated' })
  const approved = await approve('b')
  const again = await approve('b')

  expect([approved.approved.hash, approved.pending, again.approved.hash]).toEqual(['b', undefined, 'b'])
  expect(world.actions().filter((action) => action === 'connection.tools_approved')).toHaveLength(1)
})

test('another tenant’s connection and a missing list are not found', async () => {
  world.toolLists.list = listOf('a', 'b')
  const other = { connectionId: connection.id, actor, tenant: 'other', hash: 'b' }

  await expect(readToolList(world, other)).rejects.toMatchObject({ code: 'not_found' })
  await expect(approveTools(world, other)).rejects.toMatchObject({ code: 'not_found' })
  world.toolLists.list = undefined
  await expect(readToolList(world, { connectionId: connection.id })).rejects.toMatchObject({ code: 'not_found' })
})
