// Case 60 of the attack catalogue, as far as it is about the record of changes.
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { samples } from '../support/worlds/platform-samples.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

const drive = (name: string) => ({ metadata: { name }, spec: {} })
type Event = { action: string; actor: { name: string; credential: string }; resource: { kind: string; name: string } }
const shown = ({ action, actor, resource }: Event) => `${actor.name} ${action} ${resource.name}`
const newest = async (count: number, client = api): Promise<string[]> =>
  (await client.get(`/v0/audit?limit=${count}`)).body.data.map(shown)

test('every change has an entry with actor, key, client address and request ID', async () => {
  const created = await api.post('/v0/drives').send(drive('noted'))
  await api.put('/v0/drives/noted').send({ ...drive('noted'), metadata: { name: 'noted', displayName: 'Noted' } })
  await api.delete('/v0/drives/noted')

  const { body } = await api.get('/v0/audit?limit=3')

  expect(body.data.map(shown)).toEqual([
    'admin@acme.example drive.deleted noted',
    'admin@acme.example drive.updated noted',
    'admin@acme.example drive.created noted',
  ])
  const keyId = world.admin.key.slice(4, 15)
  expect(body.data[2]).toEqual({
    time: expect.any(String),
    action: 'drive.created',
    actor: { kind: 'user', id: expect.any(String), name: 'admin@acme.example', credential: `key:${keyId}` },
    resource: { kind: 'drive', name: 'noted', id: expect.any(String) },
    workspace: 'acme',
    requestId: created.headers['x-request-id'],
    address: expect.stringMatching(/127\.0\.0\.1$/),
  })
})

test('service accounts and keys are recorded without their secrets', async () => {
  const account = (await api.post('/v0/service_accounts').send({ name: 'robot' })).body
  const path = `/v0/service_accounts/${account.clientId}`
  const key = (await api.post(`${path}/api_keys`).send({ name: 'ci' })).body
  await api.delete(`${path}/api_keys/${key.id}`)
  await api.put(path).send({ name: 'robot', role: 'admin' })
  await api.delete(path)
  await api
    .post('/v0/integrations/connections')
    .send({ metadata: { name: 'c' }, spec: samples.integrationconnection!.spec })

  const { secret: secrets } = samples.integrationconnection!.spec as { secret: Record<string, string> }
  const entries = await newest(6)
  const { rows } = await world.pool.query(`select string_agg(e::text, '') as text from audit_events e`)

  expect(entries.map((entry) => entry.replace('admin@acme.example ', ''))).toEqual([
    'integrationconnection.created c',
    'serviceaccount.deleted robot',
    'serviceaccount.updated robot',
    'apikey.revoked ci',
    'apikey.created ci',
    'serviceaccount.created robot',
  ])
  for (const secret of [account.clientSecret, key.apiKey, ...Object.values(secrets)]) {
    expect(rows[0].text).not.toContain(secret)
  }
})

test('executions are recorded at both addresses with the actors of start and cancellation', async () => {
  await api.post('/v0/jobs').send({ metadata: { name: 'sums' }, spec: samples.job!.spec })
  const direct = () => request(world.app).post('/acme/jobs/sums/executions').auth(world.admin.key, { type: 'bearer' })

  await api
    .post('/v0/jobs/sums/executions')
    .send({ tasks: [{}], id: 'managed' })
    .expect(200)
  const started = await direct().send({ tasks: [{}], id: 'direct' })
  await direct()
    .send({ tasks: [{}], id: 'direct' })
    .expect(200)
  // However quick it was, it is not over.
  await world.pool.query(`
    with open as (update executions set status = 'running', completed_at = null where id = 'managed' returning uid)
    update tasks set state = 'pending', not_before = 'infinity' from open where execution = uid`)
  await api.delete('/v0/jobs/sums/executions/managed').expect(200)
  await api.delete('/v0/jobs/sums/executions/managed').expect(200)

  const { body } = await api.get('/v0/audit?limit=3')
  expect(body.data.map(shown)).toEqual([
    'admin@acme.example execution.cancelled sums/managed',
    'admin@acme.example execution.started sums/direct',
    'admin@acme.example execution.started sums/managed',
  ])
  expect(body.data[1]).toMatchObject({
    resource: { kind: 'execution' },
    requestId: started.headers['x-request-id'],
    address: expect.stringMatching(/127\.0\.0\.1$/),
  })
})

test('a rejected request leaves no entry', async () => {
  await api.post('/v0/drives').send(drive('twice')).expect(200)
  const before = await newest(50)

  await api.post('/v0/drives').send(drive('twice')).expect(409)
  await api.post('/v0/drives').send(drive('Not Good')).expect(400)
  await api.delete('/v0/drives/never-was').expect(404)

  expect(await newest(50)).toEqual(before)
})

test('the audit trail is paginated without gaps, and cursors are bound to the workspace', async () => {
  for (let at = 0; at < 5; at++) await api.post('/v0/drives').send(drive(`page-${at}`))
  const other = world.as(await world.enter('elsewhere', 'admin@acme.example'))

  const first = (await api.get('/v0/audit?limit=2')).body
  const second = (await api.get('/v0/audit').query({ limit: 2, cursor: first.meta.nextCursor })).body
  const foreign = await other.get('/v0/audit').query({ cursor: first.meta.nextCursor })

  expect([...first.data, ...second.data].map(({ resource }: Event) => resource.name)).toEqual([
    'page-4',
    'page-3',
    'page-2',
    'page-1',
  ])
  expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_cursor'])
})

test('a workspace with the name of a deleted one does not see its history', async () => {
  await api.post('/v0/workspaces').send({ name: 'reborn' }).expect(200)
  const inside = () => world.as({ ...world.admin, workspace: 'reborn' })
  await inside().post('/v0/drives').send(drive('old')).expect(200)
  await api.delete('/v0/workspaces/reborn').expect(200)
  await api.post('/v0/workspaces').send({ name: 'reborn' }).expect(200)

  const entries = await newest(50, inside())
  const { rows } = await world.pool.query(`select action from audit_events where workspace = 'reborn' order by id`)

  expect(entries).toEqual(['admin@acme.example workspace.created reborn'])
  expect(rows.map(({ action }) => action)).toEqual([
    'workspace.created',
    'drive.created',
    'workspace.deleted',
    'workspace.created',
  ])
})

test("a member can't read the audit trail", async () => {
  const member = await world.join('acme', 'curious@acme.example', 'member')

  expect((await world.as(member).get('/v0/audit')).status).toBe(403)
})

test.each(['update audit_events set action = $$x$$', 'delete from audit_events', 'truncate audit_events'])(
  'entries are immutable: %s',
  async (statement) => {
    await expect(world.pool.query(statement)).rejects.toThrow('only ever added to')
  },
)

test.each([
  ['read-only', '42501'],
  ['full', '53100'],
])('with an audit table that is %s, writes return 503 and reads work', async (_, code) => {
  const mute = await platformWorld()
  const client = mute.as(mute.admin)
  const key = (await client.post('/v0/api_keys').send({ name: 'k' })).body
  await client.post('/v0/drives').send(drive('before')).expect(200)
  await client.post('/v0/jobs').send({ metadata: { name: 'sums' }, spec: samples.job!.spec })
  await mute.pool.query(
    `insert into executions (uid, id, workspace, job_uid, job, image, parallelism, timeout_seconds, memory_mb,
         memory_override, env_names, sealed) select 'u', 'open', 'acme', id, 'sums', '', 1, 1, 1, 0, '{}', '' from resources where kind = 'job'`,
  )
  await mute.pool.query(
    `insert into tasks (execution, index, arguments, max_retries, not_before) values ('u', 0, '{}', 0, 'infinity')`,
  )
  const direct = () => request(mute.app).post('/acme/jobs/sums/executions').auth(mute.admin.key, { type: 'bearer' })
  await mute.pool.query(`
    create function fail() returns trigger language plpgsql as $$ begin raise 'no' using errcode = '${code}'; end $$;
    create trigger fail before insert on audit_events for each statement execute function fail()`)
  const changes = [
    client.post('/v0/drives').send(drive('after')),
    client.put('/v0/drives/before').send({ ...drive('before'), metadata: { name: 'before', displayName: 'Changed' } }),
    client.delete('/v0/drives/before'),
    client.post('/v0/service_accounts').send({ name: 'robot' }),
    client.post('/v0/api_keys').send({ name: 'another' }),
    client.delete(`/v0/api_keys/${key.id}`),
    client.post('/v0/workspaces').send({ name: 'fresh' }),
    client.put('/v0/workspaces/acme').send({ name: 'acme', displayName: 'Changed' }),
    client.delete('/v0/workspaces/acme'),
    client.post('/v0/jobs/sums/executions').send({ tasks: [{}] }),
    direct().send({ tasks: [{}] }),
    client.delete('/v0/jobs/sums/executions/open'),
  ]

  const answers = await Promise.all(
    changes.map(async (change) => change.then(({ status, headers }) => [status, headers['retry-after']])),
  )
  const read = await client.get('/v0/drives')
  const workspace = await client.get('/v0/workspaces/acme')
  const { rows } = await mute.pool.query('select count(*)::int as keys from api_keys')
  const executions = (await mute.pool.query('select id, status from executions')).rows
  await mute.close()

  expect(answers).toEqual(changes.map(() => [503, '2']))
  expect(read.body.data.map(({ metadata }: { metadata: { displayName: string } }) => metadata.displayName)).toEqual([
    'before',
  ])
  expect([workspace.status, workspace.body.displayName]).toEqual([200, 'acme'])
  expect(rows[0].keys).toBe(2)
  expect(executions).toEqual([{ id: 'open', status: 'queued' }])
})

test('a name with control characters is recorded unchanged in one entry', async () => {
  const evil = 'x\n{"level":50}\u001b[31m'
  await api.post('/v0/api_keys').send({ name: evil }).expect(200)

  const { rows } = await world.pool.query('select resource_name from audit_events order by id desc limit 1')

  expect(rows).toEqual([{ resource_name: evil }])
})
