// Which sandboxes are idle, and how a stop and a use of one agree.
import { randomUUID } from 'node:crypto'
import { afterAll, expect, test } from 'vitest'
import { postgresSandboxUses } from '../../../src/platform/gateway/adapters/sandboxes/sandbox-uses.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)
afterAll(() => world.close())

const uses = (idleSeconds = 900) => postgresSandboxUses(world.pool, idleSeconds)

async function idleSandbox() {
  const name = `box-${randomUUID().slice(0, 8)}`
  await createResource(api, 'sandboxes', name, { runtime: { image: 'local/echo', memory: 128 } })
  await world.settle()
  const { rows } = await world.pool.query(
    `update resources set updated_at = now() - interval '1 day' where name = $1 returning id`,
    [name],
  )
  return { id: rows[0].id as string, name }
}

test('a sandbox is idle after its time without a use or a process, and none is without a limit', async () => {
  const [idle, used, busy] = [await idleSandbox(), await idleSandbox(), await idleSandbox()]
  await uses().note(used.id)
  const { body } = await api.post(`/acme/sandboxes/${busy.name}/process`).send({ command: 'sleep 600' }).expect(200)
  await world.pool.query(`update sandbox_uses set used_at = now() - interval '1 day' where id = $1`, [busy.id])

  const found = await uses().idle()
  await api.delete(`/acme/sandboxes/${busy.name}/process/${body.pid}`).expect(200)

  expect([idle, used, busy].map(({ id }) => found.includes(id))).toEqual([true, false, false])
  expect(await uses(0).idle()).toEqual([])
  expect(await uses().idle()).not.toContain(busy.id)
})

test('a stop is claimed by one process, and a use waits for its end', async () => {
  const { id } = await idleSandbox()
  const claims = [await uses().claimStop(id), await uses().claimStop(id)]
  const order: string[] = []

  const used = uses()
    .note(id)
    .then(() => order.push('used'))
  await uses().idle()
  order.push('stopped')
  await uses().endStop(id)
  await used

  expect(claims).toEqual([true, false])
  expect(order).toEqual(['stopped', 'used'])
  expect(await uses().claimStop(id)).toBe(false)
})

test('a use of a deleted sandbox is not noted', async () => {
  await uses().note('gone')

  expect((await world.pool.query(`select from sandbox_uses where id = 'gone'`)).rows).toEqual([])
})
