// Memberships are cached for seconds by workspace name, so a name must not move to another account in that time.
import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()

afterAll(() => world.close())

type Person = Awaited<ReturnType<PlatformWorld['enter']>>

const drive = { metadata: { name: 'd' }, spec: {} }

/** Eve has the workspace, with a robot in it; Ann has an account of her own. All of them are remembered. */
async function twoOwners(name: string) {
  const eve = await world.enter(name, `eve@${name}.example`, `eve-of-${name}`)
  const ann = await world.enter(`home-of-${name}`, `ann@${name}.example`, `ann-of-${name}`)
  const { body: robot } = await world.as(eve).post('/v0/service_accounts').send({ name: 'robot', role: 'admin' })
  const { body: key } = await world.as(eve).post(`/v0/service_accounts/${robot.clientId}/api_keys`).send({ name: 'k' })
  const old: Person[] = [eve, { ...eve, key: key.apiKey }]
  for (const person of old) await world.as(person).get('/v0/drives').expect(200)
  return { eve, ann, old }
}

const create = (person: Person, name: string) => world.as(person).post('/v0/workspaces').send({ name })
const isFree = async (person: Person, name: string) =>
  (await world.as(person).post('/v0/workspaces/availability').send({ name })).body

test('credentials of a deleted workspace never open a workspace with the same name of another account', async () => {
  const { eve, ann, old } = await twoOwners('reuse')
  await world.as(eve).delete('/v0/workspaces/reuse').expect(200)

  const early = await create(ann, 'reuse')
  const free = [await isFree(ann, 'reuse'), await isFree(eve, 'reuse')]
  await world.pool.query(
    `update workspace_owners set released_at = released_at - interval '61 minutes' where workspace = 'reuse'`,
  )
  await waitFor('nobody remembers', async () => (await world.as(old[1]!).get('/v0/drives')).status === 401)
  const late = await create(ann, 'reuse')
  await world
    .as({ ...ann, workspace: 'reuse' })
    .post('/v0/drives')
    .send(drive)
    .expect(200)
  const tried = await Promise.all(
    old.flatMap((person) => [world.as(person).get('/v0/drives/d'), world.as(person).delete('/v0/drives/d')]),
  )

  expect([early.status, early.body.error]).toEqual([409, 'conflict'])
  expect(early.body.message).toContain('within the last hour')
  expect(free).toEqual([false, true])
  expect(late.status).toBe(200)
  expect(tried.map(({ status }) => status)).toEqual([403, 403, 401, 401])
})

test('a create that waits for the delete of the same name is rejected as well', async () => {
  const { eve, ann } = await twoOwners('raced')
  const client = await world.pool.connect()
  await client.query('begin')
  await client.query(`delete from workspaces where name = 'raced'`)

  const waiting = create(ann, 'raced').then((answer) => answer)
  await waitFor('it waits', async () => {
    const { rows } = await world.pool.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    )
    return rows.length > 0
  })
  await client.query('commit')
  client.release()

  expect((await waiting).status).toBe(409)
  expect((await create(eve, 'raced')).status).toBe(200)
})

test('an operator gets the same error', async () => {
  const { eve } = await twoOwners('by-hand')
  await world.as(eve).delete('/v0/workspaces/by-hand').expect(200)

  await expect(world.enter('by-hand', 'other@by-hand.example', 'another')).rejects.toThrow('within the last hour')
})
