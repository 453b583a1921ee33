// Which containers of agents are idle, and how a stop and a use of one agree.
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { postgresContainerUses } from '../../../src/platform/gateway/adapters/containers/container-uses.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)
afterAll(() => world.close())

await createResource(api, 'agents', 'used', { runtime: { image: 'local/echo' } })
const { rows } = await world.pool.query(`select id from resources where name = 'used'`)
const resource = rows[0].id as string

/** Of one process. */
const uses = (idleSeconds = 900) => postgresContainerUses(world.pool, idleSeconds)
const knownTo = async (id: string, idleSeconds?: number) =>
  (await uses(idleSeconds).known()).find((each) => each.id === id)

async function started() {
  const id = randomUUID()
  await uses().note(id, resource)
  await uses().started(id)
  return id
}

async function idle() {
  const id = await started()
  await world.pool.query(`update container_uses set used_at = now() - interval '1 day' where id = $1`, [id])
  return id
}

test('a container that nobody started has to be started, and then not', async () => {
  const [id, own] = [randomUUID(), uses()]

  const before = await own.note(id, resource)
  const isNoted = own.isNoted(id)
  await own.started(id)

  expect([before, isNoted, await uses().note(id, resource), own.isNoted(id)]).toEqual([false, false, true, true])
})

test('one is idle after its time, and none without a limit', async () => {
  const [id, used] = [await idle(), await started()]

  expect(await knownTo(id)).toEqual({ id, isRunning: true, isIdle: true })
  expect(await knownTo(used)).toEqual({ id: used, isRunning: true, isIdle: false })
  expect(await knownTo(id, 0)).toMatchObject({ isIdle: false })
})

test('one that was adopted is not idle yet, and one that is known is left alone', async () => {
  const [id, old] = [randomUUID(), await idle()]
  await uses().adopt(id, resource)
  await uses().adopt(old, resource)

  expect(await knownTo(id)).toEqual({ id, isRunning: false, isIdle: false })
  expect(await knownTo(old)).toMatchObject({ isIdle: true })
})

test('a stop is claimed by one process, and a use waits for its end and starts the container', async () => {
  const id = await idle()
  const claims = [await uses().claimStop(id), await uses().claimStop(id)]
  const order: string[] = []

  const used = uses()
    .note(id, resource)
    .then((isRunning) => order.push(`used ${isRunning}`))
  await uses().known()
  order.push('stopped')
  await uses().endStop(id)
  await used

  expect(claims).toEqual([true, false])
  expect(order).toEqual(['stopped', 'used false'])
  expect(await uses().claimStop(id)).toBe(false)
})

test('a use of a deleted agent is not noted', async () => {
  expect(await uses().note('gone', 'gone')).toBe(false)

  expect(await knownTo('gone')).toBeUndefined()
})
