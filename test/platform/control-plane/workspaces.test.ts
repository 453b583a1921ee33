import { afterAll, expect, test } from 'vitest'
import { z } from 'zod'
import { Template } from '../../../src/contract/control-plane/catalogue.ts'
import { Workspace } from '../../../src/contract/control-plane/workspace.ts'
import { StoreUnavailable } from '../../../src/kit/database/store-errors.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { samples } from '../../support/worlds/platform-samples.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

test('a new workspace belongs to its creator, is accessible immediately, and becomes ready', async () => {
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

test('another process completes a workspace that a stopped process left unfinished', async () => {
  await api.post('/v0/workspaces').send({ name: 'halfway' }).expect(200)
  await waitFor('it is ready', async () => (await api.get('/v0/workspaces/halfway')).body.status === 'ready')
  await world.pool.query(
    `update workspaces set status = 'account_configured', created_at = now() - interval '1 minute' where name = 'halfway'`,
  )

  await waitFor('it is ready', async () => (await api.get('/v0/workspaces/halfway')).body.status === 'ready')
})

test('counts of resources are returned only on request', async () => {
  await api.post('/v0/workspaces').send({ name: 'counted' }).expect(200)
  const inside = world.as({ ...world.admin, workspace: 'counted' })
  await createResource(inside, 'drives', 'one')
  await createResource(inside, 'drives', 'two')
  await inside.delete('/v0/drives/one').expect(200)
  await createResource(inside, 'policies', 'p', { type: 'location' })
  await createResource(inside, 'sandboxes', 's')
  await createResource(inside, 'sandboxes/s/previews', 'shown', { port: 80, public: true })
  for (const name of ['a', 'b']) await createResource(inside, 'agents', name, { runtime: { image: 'local/echo' } })
  await inside.post('/v0/service_accounts').send({ name: 'robot' }).expect(200)

  const plain = await api.get('/v0/workspaces/counted')
  const counted = await api.get('/v0/workspaces/counted?countResources=true')

  expect(plain.body).not.toHaveProperty('resourceCounts')
  expect(counted.body.resourceCounts).toEqual({
    agents: 2,
    functions: 0,
    models: 0,
    sandboxes: 1,
    policies: 1,
    jobs: 0,
    volumes: 0,
    drives: 1,
    volumetemplates: 0,
    integrationconnections: 0,
    previews: 1,
    customdomains: 0,
    serviceaccounts: 1,
    images: 1,
  })
})

test('a used or reserved name is unavailable', async () => {
  await api.post('/v0/workspaces').send({ name: 'owned' }).expect(200)

  const free = await Promise.all(
    ['owned', 'v0', 'billing', 'Not a Name', '', 'unheard-of'].map((name) =>
      api.post('/v0/workspaces/availability').send({ name }),
    ),
  )
  const again = await api.post('/v0/workspaces').send({ name: 'owned' })
  const reserved = await api.post('/v0/workspaces').send({ name: 'v0' })

  expect(free.map(({ body }) => body)).toEqual([false, false, false, false, false, true])
  expect([again.status, reserved.status]).toEqual([409, 409])
})

test('an update changes mutable fields and rejects the others by name', async () => {
  await api.post('/v0/workspaces').send({ name: 'edited' }).expect(200)

  const updated = await api.put('/v0/workspaces/edited').send({ name: 'edited', displayName: 'New', region: 'local' })
  const renamed = await api.put('/v0/workspaces/edited').send({ name: 'other-name' })
  const moved = await api.put('/v0/workspaces/edited').send({ name: 'edited', accountId: 'another' })

  expect([updated.status, updated.body.displayName]).toEqual([200, 'New'])
  expect([renamed.status, renamed.body.message]).toEqual([400, 'name may not change.'])
  expect([moved.status, moved.body.message]).toEqual([400, 'accountId may not change.'])
})

test('read-only fields of a workspace are ignored in a body', async () => {
  const sent = {
    id: 'mine',
    status: 'error',
    statusReason: 'mine',
    createdBy: 'me',
    updatedBy: 'me',
    createdAt: 'then',
  }
  const counts = { resourceCounts: { drives: 9 } }

  const { body: created } = await api
    .post('/v0/workspaces')
    .send({ name: 'tampered', ...sent, ...counts })
    .expect(200)
  const { body: updated } = await api.put('/v0/workspaces/tampered').send({ name: 'tampered', ...sent, ...counts })

  expect(created).toMatchObject({ status: 'created', createdBy: 'admin@acme.example', updatedBy: 'admin@acme.example' })
  expect(created.id).not.toBe('mine')
  expect(updated).toMatchObject({ id: created.id, createdAt: created.createdAt, createdBy: 'admin@acme.example' })
  for (const member of ['statusReason', 'resourceCounts'])
    expect([created, updated]).not.toContainEqual(expect.objectContaining({ [member]: expect.anything() }))
})

test('a workspace is not reported as missing while the database is unavailable', async () => {
  const away = async () => {
    throw new StoreUnavailable(new Error('connection refused'))
  }
  const broken = await platformWorld({
    adapters: { memberships: { ofUser: away, ofServiceAccount: away, ofServiceAccountIn: away } },
  })

  const answers = await Promise.all(
    ['/v0/workspaces/acme', '/v0/workspaces', '/v0/workspaces/acme/users'].map((path) =>
      broken.as(broken.admin).get(path),
    ),
  )
  await broken.close()

  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503])
})

test('deleting a workspace returns it and deletes its resources', async () => {
  await api.post('/v0/workspaces').send({ name: 'doomed' }).expect(200)
  const inside = world.as({ ...world.admin, workspace: 'doomed' })
  await createResource(inside, 'drives', 'd')
  const { body: robot } = await inside.post('/v0/service_accounts').send({ name: 'robot' }).expect(200)
  await inside.post(`/v0/service_accounts/${robot.clientId}/api_keys`).send({ name: 'k' }).expect(200)
  await inside.post('/v0/workspaces/doomed/users').send({ email: 'guest@acme.example' }).expect(200)
  for (const { path, parents = [], spec } of Object.values(samples)) {
    for (const parent of parents) await inside.post(`/v0${parent.path}`).send(parent.body)
    await inside
      .post(`/v0${path}`)
      .send({ metadata: { name: 'one' }, spec })
      .expect(200)
  }
  const mounted = { volumes: [{ name: 'one', mountPath: '/data' }] }
  await createResource(inside, 'sandboxes', 'box', mounted)
  await waitFor('the job is ready', async () => (await inside.get('/v0/jobs/one')).body.status === 'DEPLOYED')
  await inside
    .post('/v0/jobs/one/executions')
    .send({ tasks: [{}] })
    .expect(200)

  const deleted = await api.delete('/v0/workspaces/doomed')

  expect([deleted.status, deleted.body.name]).toEqual([200, 'doomed'])
  await api.get('/v0/workspaces/doomed').expect(404)
  const { rows: tables } = await world.pool.query(
    `select table_name as name from information_schema.columns join information_schema.tables using (table_name)
     where column_name = 'workspace' and table_type = 'BASE TABLE' and tables.table_schema = current_schema()
       and columns.table_schema = current_schema()`,
  )
  const left = await Promise.all(
    tables.map(async ({ name }) => {
      const { rowCount } = await world.pool.query(`select from ${name} where workspace = 'doomed'`)
      return rowCount ? [name] : []
    }),
  )
  const { rowCount: keys } = await world.pool.query('select from api_keys where service_account_id = $1', [
    robot.clientId,
  ])
  // The audit trail and usage stay. Files are removed later.
  const kept = /^(audit_events|usage_\w+|workspace_owners|removed_folders)$/
  expect(left.flat().filter((name) => !kept.test(name))).toEqual([])
  expect([tables.length > 8, keys]).toEqual([true, 0])
})

test("another account's workspace gets the same 404 as a missing one, and only admins can change one", async () => {
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

test('every authenticated caller can read offers', async () => {
  const paths = ['/templates', '/templates/echo-agent', '/locations', '/configuration', '/integrations', '/accounts']

  const read = await Promise.all(paths.map((path) => api.get(`/v0${path}`)))
  const missing = await Promise.all(
    ['/templates/none', '/integrations/none', '/accounts/none'].map((path) => api.get(`/v0${path}`)),
  )

  expect(read.map(({ status }) => status)).toEqual(paths.map(() => 200))
  expect(z.array(Template.strict()).min(1).safeParse(read[0]?.body).error).toBeUndefined()
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
