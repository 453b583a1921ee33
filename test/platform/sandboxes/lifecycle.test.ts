// Expiry of sandboxes and previews.
import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, platformWorld, replaceResource } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)
afterAll(() => world.close())

const exists = async (path: string) => (await api.get(`/v0/sandboxes/${path}`)).status === 200
const gone = (path: string) => waitFor(`${path} is gone`, async () => !(await exists(path)))
const past = () => new Date(Date.now() - 1_000).toISOString()
const policy = (type: string, value: string) => ({ lifecycle: { expirationPolicies: [{ type, value }] } })

test.concurrent.each([
  ['ttl', { runtime: { ttl: '1s' } }],
  ['expires', { runtime: { expires: past() } }],
  ['max-age', policy('ttl-max-age', '1s')],
  ['date', policy('date', past())],
  ['idle', policy('ttl-idle', '1s')],
])('a sandbox is deleted by its %s', async (how, spec) => {
  await createResource(api, 'sandboxes', `ends-${how}`, spec)

  await gone(`ends-${how}`)

  const sql = `select action from audit_events where resource_name = $1 and actor_label = 'expiry'`
  expect((await world.pool.query(sql, [`ends-${how}`])).rows).toEqual([{ action: 'sandbox.deleted' }])
})

test.concurrent('the first of several policies applies, and others stay', async () => {
  await createResource(api, 'sandboxes', 'stays', { runtime: { ttl: '1h' }, ...policy('ttl-idle', '1d') })
  await createResource(api, 'sandboxes', 'goes', { runtime: { ttl: '1h' }, ...policy('ttl-max-age', '1s') })

  await gone('goes')

  expect(await exists('stays')).toBe(true)
})

test('a later expiry replaces an earlier one, and null removes it', async () => {
  await createResource(api, 'sandboxes', 'changed', { runtime: { ttl: '1h' } })
  const dueAt = async () => {
    const sql = `select due_at from expiring_resources join resources using (id) where name = 'changed'`
    return (await world.pool.query(sql)).rows[0]?.due_at as Date | undefined
  }
  const before = (await dueAt()) as Date

  await replaceResource(api, 'sandboxes', 'changed', { runtime: { ttl: '2h' } })
  const after = (await dueAt()) as Date
  await replaceResource(api, 'sandboxes', 'changed', { runtime: { ttl: null }, lifecycle: null })

  expect(after.getTime() - before.getTime()).toBe(3_600_000)
  expect(await dueAt()).toBeUndefined()
})

test.concurrent('a sandbox with a running process is not idle', async () => {
  await createResource(api, 'sandboxes', 'busy', { runtime: { memory: 128 }, ...policy('ttl-idle', '1s') })
  const { body } = await api.post('/acme/sandboxes/busy/process').send({ command: 'sleep 600' }).expect(200)
  await createResource(api, 'sandboxes', 'idle', policy('ttl-idle', '1s'))
  await gone('idle')

  expect(await exists('busy')).toBe(true)
  await api.delete(`/acme/sandboxes/busy/process/${body.pid}`).expect(200)
  await gone('busy')
})

test.concurrent('a sandbox is idle from the end of its last process', async () => {
  await createResource(api, 'sandboxes', 'was-busy', { runtime: { memory: 128 }, ...policy('ttl-idle', '1h') })
  const { body } = await api.post('/acme/sandboxes/was-busy/process').send({ command: 'sleep 600' }).expect(200)
  const ofSandbox = `where id = (select id from resources where name = 'was-busy')`
  await world.pool.query(`update sandbox_uses set used_at = now() - interval '2 hours' ${ofSandbox}`)

  await api.delete(`/acme/sandboxes/was-busy/process/${body.pid}`).expect(200)

  const sql = `select used_at > now() - interval '1 minute' as "isRecent" from sandbox_uses ${ofSandbox}`
  expect((await world.pool.query(sql)).rows).toEqual([{ isRecent: true }])
})

test.concurrent('a preview is deleted by its ttl', async () => {
  await createResource(api, 'sandboxes', 'with-preview')
  await api
    .post('/v0/sandboxes/with-preview/previews')
    .send({ metadata: { name: 'p' }, spec: { port: 80, ttl: '1s' } })
    .expect(200)

  await gone('with-preview/previews/p')
})

test.each([
  [{ runtime: { ttl: 'soon' } }],
  [{ runtime: { ttl: '0s' } }],
  [{ runtime: { expires: 'tomorrow' } }],
  [policy('ttl-idle', '2026-01-01T00:00:00Z')],
  [policy('date', '1h')],
])('%j is rejected', async (spec) => {
  await api
    .post('/v0/sandboxes')
    .send({ metadata: { name: 'wrong' }, spec })
    .expect(400)
})
