import { afterAll, beforeAll, expect, test } from 'vitest'
import { Workspace } from '../../../src/contract/control-plane/workspace.ts'
import { type PlatformWorld, platformWorld } from '../../support/platform-world.ts'
import { waitFor } from '../../support/wait-for.ts'

let world: PlatformWorld
let api: ReturnType<PlatformWorld['as']>

beforeAll(async () => {
  world = await platformWorld()
  api = world.as(world.admin)
})

afterAll(() => world.close())

test('a new workspace belongs to its creator, who may enter it at once, and becomes ready by itself', async () => {
  const body = {
    name: 'fresh',
    displayName: 'Fresh',
    labels: { a: 'b' },
    groupMappings: [{ groupName: 'g', role: 'member' }],
  }

  const created = await api.post('/v0/workspaces').send({ ...body, runtime: { generation: 'mk3' } })
  const inside = await world.as({ ...world.admin, workspace: 'fresh' }).get('/v0/drives')

  expect(created.status).toBe(200)
  expect(Workspace.parse(created.body)).toMatchObject({
    ...body,
    status: 'created',
    accountId: world.admin.accountId,
    createdBy: 'admin@acme.example',
    runtime: { generation: 'mk3' },
  })
  expect(created.body).not.toHaveProperty('statusReason')
  expect(inside.status).toBe(200)
  await waitFor('it is ready', async () => (await api.get('/v0/workspaces/fresh')).body.status === 'ready')
})

test('a workspace that a stopped process left on its way is made ready by another', async () => {
  await api.post('/v0/workspaces').send({ name: 'halfway' }).expect(200)
  await waitFor('it is ready', async () => (await api.get('/v0/workspaces/halfway')).body.status === 'ready')
  await world.pool.query(
    `update workspaces set status = 'account_configured', created_at = now() - interval '1 minute' where name = 'halfway'`,
  )

  await waitFor('it is ready', async () => (await api.get('/v0/workspaces/halfway')).body.status === 'ready')
})

test('statusReason is shown in error and never otherwise', async () => {
  await api.post('/v0/workspaces').send({ name: 'broken' }).expect(200)
  await world.pool.query(`update workspaces set status = 'error', status_reason = 'disk full' where name = 'broken'`)

  const { body } = await api.get('/v0/workspaces/broken')

  expect([body.status, body.statusReason]).toEqual(['error', 'disk full'])
})

test('counts of resources come only when they are asked for', async () => {
  await api.post('/v0/workspaces').send({ name: 'counted' }).expect(200)
  const inside = world.as({ ...world.admin, workspace: 'counted' })
  await inside
    .post('/v0/drives')
    .send({ metadata: { name: 'one' }, spec: {} })
    .expect(200)
  await inside
    .post('/v0/drives')
    .send({ metadata: { name: 'two' }, spec: {} })
    .expect(200)
  await inside.delete('/v0/drives/one').expect(200)
  await inside
    .post('/v0/policies')
    .send({ metadata: { name: 'p' }, spec: { type: 'location' } })
    .expect(200)
  await inside
    .post('/v0/sandboxes')
    .send({ metadata: { name: 's' }, spec: {} })
    .expect(200)
  await inside.post('/v0/service_accounts').send({ name: 'robot' }).expect(200)

  const plain = await api.get('/v0/workspaces/counted')
  const counted = await api.get('/v0/workspaces/counted?countResources=true')

  expect(plain.body).not.toHaveProperty('resourceCounts')
  expect(counted.body.resourceCounts).toEqual({
    agents: 0,
    functions: 0,
    models: 0,
    sandboxes: 1,
    policies: 1,
    jobs: 0,
    volumes: 0,
    drives: 1,
    volumetemplates: 0,
    integrationconnections: 0,
    previews: 0,
    customdomains: 0,
    serviceaccounts: 1,
    images: 0,
  })
})

test('a name that is taken or reserved is neither free nor given', async () => {
  await api.post('/v0/workspaces').send({ name: 'owned' }).expect(200)

  const free = await Promise.all(
    ['owned', 'v0', 'oauth', 'unheard-of'].map((name) => api.post('/v0/workspaces/availability').send({ name })),
  )
  const again = await api.post('/v0/workspaces').send({ name: 'owned' })
  const reserved = await api.post('/v0/workspaces').send({ name: 'v0' })

  expect(free.map(({ body }) => body)).toEqual([false, false, false, true])
  expect([again.status, reserved.status]).toEqual([409, 409])
})

test('an update changes what may change and refuses the rest by name', async () => {
  await api.post('/v0/workspaces').send({ name: 'edited' }).expect(200)

  const updated = await api.put('/v0/workspaces/edited').send({ name: 'edited', displayName: 'New', region: 'local' })
  const renamed = await api.put('/v0/workspaces/edited').send({ name: 'other-name' })
  const moved = await api.put('/v0/workspaces/edited').send({ name: 'edited', accountId: 'another' })

  expect([updated.status, updated.body.displayName]).toEqual([200, 'New'])
  expect([renamed.status, renamed.body.message]).toEqual([400, 'name may not change.'])
  expect([moved.status, moved.body.message]).toEqual([400, 'accountId may not change.'])
})

test('a deleted workspace is answered and takes all that was in it', async () => {
  await api.post('/v0/workspaces').send({ name: 'doomed' }).expect(200)
  const inside = world.as({ ...world.admin, workspace: 'doomed' })
  await inside
    .post('/v0/drives')
    .send({ metadata: { name: 'd' }, spec: {} })
    .expect(200)
  const { body: robot } = await inside.post('/v0/service_accounts').send({ name: 'robot' }).expect(200)

  const deleted = await api.delete('/v0/workspaces/doomed')

  expect([deleted.status, deleted.body.name]).toEqual([200, 'doomed'])
  await api.get('/v0/workspaces/doomed').expect(404)
  const { rows } = await world.pool.query(
    `select (select count(*) from resources where workspace = 'doomed')
       + (select count(*) from resource_counts where workspace = 'doomed')
       + (select count(*) from service_accounts where client_id = $1) as left`,
    [robot.clientId],
  )
  expect(Number(rows[0].left)).toBe(0)
})

test('a workspace of somebody else is as missing as one that never was, and only admins change one', async () => {
  await world.enter('foreign', 'owner@other.example', 'other')
  const member = world.as(await world.join('acme', 'user@acme.example', 'member'))

  const foreign = await api.get('/v0/workspaces/foreign')
  const missing = await api.get('/v0/workspaces/never-was')
  const deleted = await api.delete('/v0/workspaces/foreign')
  const asMember = await member.delete('/v0/workspaces/acme')
  const listed = await api.get('/v0/workspaces')

  expect([foreign.status, foreign.body]).toEqual([404, missing.body])
  expect(deleted.body).toEqual(missing.body)
  expect([asMember.status, asMember.body.error]).toEqual([403, 'access_denied'])
  expect(listed.body.map(({ name }: { name: string }) => name)).not.toContain('foreign')
})

test('what the platform offers can be read by everybody, and by nobody else', async () => {
  const paths = ['/templates', '/templates/echo-agent', '/locations', '/configuration', '/integrations', '/accounts']

  const read = await Promise.all(paths.map((path) => api.get(`/v0${path}`)))
  const missing = await Promise.all(
    ['/templates/none', '/integrations/none', '/accounts/none'].map((path) => api.get(`/v0${path}`)),
  )

  expect(read.map(({ status }) => status)).toEqual(paths.map(() => 200))
  expect(read[1]?.body).toMatchObject({
    name: 'echo-agent',
    defaultBranch: 'main',
    topics: ['agent', 'echo'],
    variables: [],
  })
  expect(read[5]?.body).toEqual([
    { id: world.admin.accountId, name: 'demo', role: 'admin', createdAt: expect.any(String) },
  ])
  expect(missing.map(({ status }) => status)).toEqual([404, 404, 404])
})
