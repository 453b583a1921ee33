import { beforeEach, expect, test } from 'vitest'
import { readTask } from '../../../../src/onboarding/connections/flows/read-connections.ts'
import { resumeTasks, workOnTask } from '../../../../src/onboarding/connections/flows/work-on-task.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import type { ConnectionTask } from '../../../../src/onboarding/domain/connection-task.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { breaks, isAway, later } from '../../../support/memory/doubles.ts'
import { byKey, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const open = async (connection: Connection): Promise<ConnectionTask> => {
  const about = { connectionId: connection.id, kind: 'disconnect', step: 'removing_function' } as const
  const task = { id: world.tokens.id('tsk'), ...about, reason: '', actor: byKey, notes: {} }
  return (await world.tasks.open(task, auditEntry('disconnect.started'))) as ConnectionTask
}
const work = (task: ConnectionTask) => workOnTask(world, world.settings, task)
const resume = () => resumeTasks(world, world.settings)

test('resumes abandoned tasks, not leased ones', async () => {
  await open(await world.addConnection())

  const early = await resume()
  world.clock.pass(31)

  expect([early, await resume(), await resume()]).toEqual([0, 1, 0])
})

/** Simulates workers that crash. */
async function loseWorkers(count: number) {
  for (let lost = 0; lost < count; lost++) {
    world.clock.pass(31)
    await world.tasks.claimDue(10)
  }
  world.clock.pass(31)
}

test('S2: a disconnect that crashes workers fails with worker_crashed and can be repeated', async () => {
  const connection = await world.addConnection()
  const task = await open(connection)
  await loseWorkers(3)

  await resume()

  expect(await world.tasks.find(task.id)).toMatchObject({ step: 'failed', cause: 'worker_crashed' })
  expect(world.platform.calls).not.toContain('deleteFunction')
  expect(world.actions().at(-1)).toBe('disconnect.failed')
  expect(await open(connection)).toBeDefined()
})

test('S2: a task survives two crashed workers', async () => {
  const task = await open(await world.addConnection())
  await loseWorkers(2)

  await resume()

  expect((await world.tasks.find(task.id))?.step).toBe('done')
})

test('a late worker writes nothing after the task was taken over', async () => {
  const connection = await world.addConnection()
  const task = await open(connection)
  const slow = later<void>()
  const { deleteFunction } = world.platform
  world.platform.deleteFunction = () => slow.promise
  const late = work(task)
  world.platform.deleteFunction = deleteFunction
  world.clock.pass(31)
  await resume()
  const before = world.actions()

  slow.resolve()
  await late

  expect(world.actions()).toEqual(before)
  expect((await world.tasks.find(task.id))?.step).toBe('done')
  expect(world.events()).toEqual(['connection.disconnected'])
})

test('retries back off', async () => {
  const task = await open(await world.addConnection())
  world.platform.deleteFunction = isAway('platform_unavailable')
  const waited: number[] = []

  await work(task)
  for (let tries = 0; tries < 3; tries++) {
    const { dueAt } = world.tables.tasks.get(task.id)!
    waited.push(dueAt!.getTime() - world.now().getTime())
    world.clock.pass(60)
    await resume()
  }

  expect(waited).toEqual(waited.toSorted((a, b) => a - b))
  expect(new Set(waited).size).toBe(3)
})

test('a task that throws does not stop the others', async () => {
  const [one, other] = [await world.addConnection(), await world.addConnection()]
  for (const connection of [one, other]) await world.tasks.postpone(await open(connection), 30, 'platform_unavailable')
  const { deleteFunction } = world.platform
  world.platform.deleteFunction = (at) => (at.connectionId === one.id ? breaks() : deleteFunction(at))
  world.clock.pass(31)

  await expect(resume()).rejects.toThrow(TypeError)

  expect((await world.found(other.id)).status).toBe('disconnected')
  expect((await world.found(one.id)).status).toBe('active')
})

test('a task is readable only by its tenant and under its connection', async () => {
  const [connection, other] = [await world.addConnection(), await world.addConnection()]
  const task = await open(connection)
  const read = (more = {}) => readTask(world, { connectionId: connection.id, task: task.id, ...more })

  expect(await read({ tenant: 'acme' })).toEqual(task)
  await expect(read({ tenant: 'other' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(read({ connectionId: other.id })).rejects.toMatchObject({ code: 'not_found' })
  await expect(read({ task: 'tsk_0' })).rejects.toMatchObject({ code: 'not_found' })
})
