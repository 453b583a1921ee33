import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

const body = (name: string, spec: object) => ({ metadata: { name }, spec })

test('a drive has an infrastructure id, a state, and a status that comes from its events', async () => {
  const { body: drive } = await api.post('/v0/drives').send(body('d1', { region: 'local', size: 5 }))

  expect(drive.spec).toEqual({ region: 'local', size: 5, infrastructureId: expect.stringMatching(/^drive-/) })
  expect(drive.state).toEqual({ s3Url: '' })
  expect(drive.status).toBe(drive.events.at(-1).status)
  expect(drive.metadata).toMatchObject({ plan: 'local', url: 'http://127.0.0.1:3100/v0/drives/d1' })
})

test.each([
  ['region', { region: 'other', size: 5 }],
  ['size', { region: 'local', size: 6 }],
])('the %s of a drive is immutable', async (member, spec) => {
  await api
    .post('/v0/drives')
    .send(body(`fixed-${member}`, { region: 'local', size: 5 }))
    .expect(200)

  const answer = await api.put(`/v0/drives/fixed-${member}`).send(body(`fixed-${member}`, spec))

  expect([answer.status, answer.body.message]).toEqual([400, `spec.${member} may not change.`])
})

test.each([
  ['region', { region: 'other', size: 5, template: 't' }],
  ['size', { region: 'local', size: 6, template: 't' }],
  ['template', { region: 'local', size: 5, template: 'u' }],
])('the %s of a volume is immutable', async (member, spec) => {
  const name = `fixed-${member}`
  await api
    .post('/v0/volumes')
    .send(body(name, { region: 'local', size: 5, template: 't' }))
    .expect(200)

  const answer = await api.put(`/v0/volumes/${name}`).send(body(name, spec))

  expect([answer.status, answer.body.message]).toEqual([400, `spec.${member} may not change.`])
})

test('an update can set an unset drive size once', async () => {
  await api
    .post('/v0/drives')
    .send(body('grows', { region: 'local' }))
    .expect(200)

  const set = await api.put('/v0/drives/grows').send(body('grows', { size: 7 }))
  const changed = await api.put('/v0/drives/grows').send(body('grows', { size: 8 }))

  expect(set.body.spec).toMatchObject({ region: 'local', size: 7 })
  expect(changed.status).toBe(400)
})

test.each([
  ['volumes', 'size', { size: 7 }],
  ['volumes', 'region', { region: 'local' }],
  ['drives', 'region', { region: 'local' }],
])('of %s, a %s that was unset at creation stays unset', async (path, member, spec) => {
  const name = `open-${member}`
  await api.post(`/v0/${path}`).send(body(name, {})).expect(200)

  const answer = await api.put(`/v0/${path}/${name}`).send(body(name, spec))

  expect([answer.status, answer.body.message]).toEqual([400, `spec.${member} may not change.`])
})

test('a volume without a size has that of its template, and keeps it when the template changes', async () => {
  await api
    .put('/v0/volume_templates/sized')
    .send(body('sized', { defaultSize: 512 }))
    .expect(200)

  const { body: from } = await api.post('/v0/volumes').send(body('from-template', { template: 'sized' }))
  const { body: own } = await api.post('/v0/volumes').send(body('own-size', { template: 'sized', size: 64 }))
  await api
    .put('/v0/volume_templates/sized')
    .send(body('sized', { defaultSize: 1_024 }))
    .expect(200)
  const { body: later } = await api.get('/v0/volumes/from-template')

  expect([from.spec.size, own.spec.size, later.spec.size]).toEqual([512, 64, 512])
})

test.each([
  ['volumes', '/v0/volumes/planned'],
  ['drives', '/v0/drives/planned'],
  ['jobs', '/acme/jobs/planned'],
])('%s have their plan and URL', async (path, address) => {
  const { body: created } = await api.post(`/v0/${path}`).send(body('planned', {}))
  const { body: read } = await api.get(`/v0/${path}/planned`)

  const expected = { plan: 'local', url: `http://127.0.0.1:3100${address}` }
  expect([created.metadata, read.metadata]).toMatchObject([expected, expected])
})

test('read-only fields in an update are ignored', async () => {
  const { body: drive } = await api.post('/v0/drives').send(body('echoed', { size: 5 }))
  const tampered = {
    ...drive,
    status: 'FAILED',
    events: [],
    state: { s3Url: 's3://mine' },
    spec: { ...drive.spec, infrastructureId: 'mine' },
    metadata: { ...drive.metadata, createdBy: 'somebody', workspace: 'other', url: 'x' },
  }

  const { body: updated } = await api.put('/v0/drives/echoed').send(tampered).expect(200)

  expect({ ...updated, metadata: { ...updated.metadata, updatedAt: drive.metadata.updatedAt } }).toEqual(drive)
})

test('deleting a drive returns its name and a message', async () => {
  await api.post('/v0/drives').send(body('leaves', {})).expect(200)

  const { body: answer } = await api.delete('/v0/drives/leaves')

  expect(answer).toEqual({ name: 'leaves', message: 'Drive leaves was deleted.' })
})

test('deleting a volume returns the time of its termination', async () => {
  await api
    .post('/v0/volumes')
    .send(body('ends', { size: 100 }))
    .expect(200)

  const { body: volume } = await api.delete('/v0/volumes/ends')

  expect(volume.metadata.name).toBe('ends')
  expect(Date.parse(volume.terminatedAt)).toBeGreaterThan(Date.now() - 60_000)
})

test("a volume shows its attachment, is attached once, and can't be deleted while attached", async () => {
  await api
    .post('/v0/volumes')
    .send(body('disk', { size: 100 }))
    .expect(200)
  const mounted = { volumes: [{ name: 'disk', mountPath: '/data' }] }
  await api.post('/v0/sandboxes').send(body('box', mounted)).expect(200)

  const attached = await api.get('/v0/volumes/disk')
  const listed = await api.get('/v0/volumes?q=disk')
  const second = await api.post('/v0/sandboxes').send(body('second-box', mounted))
  const deleted = await api.delete('/v0/volumes/disk')
  await api.delete('/v0/sandboxes/box').expect(200)
  const freed = await api.get('/v0/volumes/disk')

  expect(attached.body.state).toEqual({ attachedTo: 'sandbox:box' })
  expect(listed.body.data[0].state).toEqual({ attachedTo: 'sandbox:box' })
  expect([second.status, second.body.message]).toEqual([409, 'Volume disk is attached to sandbox:box.'])
  expect(deleted.status).toBe(409)
  expect(freed.body.state).toEqual({ attachedTo: '' })
})

test('of concurrent sandboxes that attach a volume, one succeeds', async () => {
  await api
    .post('/v0/volumes')
    .send(body('wanted', { size: 100 }))
    .expect(200)
  const spec = { volumes: [{ name: 'wanted', mountPath: '/data' }] }
  const names = Array.from({ length: 8 }, (_, at) => `taker-${at}`)
  const statuses = (answers: Array<{ status: number }>) => answers.map(({ status }) => status).sort()

  const created = await Promise.all(names.map((name) => api.post('/v0/sandboxes').send(body(name, spec))))
  const first = await api.get('/v0/volumes/wanted')
  await Promise.all(names.map((name) => api.delete(`/v0/sandboxes/${name}`)))
  await Promise.all(names.map((name) => api.post('/v0/sandboxes').send(body(name, {})).expect(200)))
  const changed = await Promise.all(names.map((name) => api.put(`/v0/sandboxes/${name}`).send(body(name, spec))))
  const second = await api.get('/v0/volumes/wanted')

  const once = [200, ...Array.from({ length: 7 }, () => 409)]
  const taker = (answers: typeof created) => names[answers.findIndex(({ status }) => status === 200)]
  expect([statuses(created), statuses(changed)]).toEqual([once, once])
  expect(first.body.state).toEqual({ attachedTo: `sandbox:${taker(created)}` })
  expect(second.body.state).toEqual({ attachedTo: `sandbox:${taker(changed)}` })
})

test('a concurrent delete of a volume and create of a sandbox that mounts it stay consistent', async () => {
  const names = Array.from({ length: 12 }, (_, at) => `passing-${at}`)
  await Promise.all(names.map((name) => api.post('/v0/volumes').send(body(name, {})).expect(200)))

  const pairs = await Promise.all(
    names.map((name) => {
      const taking = body(name, { volumes: [{ name, mountPath: '/data' }] })
      return Promise.all([api.delete(`/v0/volumes/${name}`), api.post('/v0/sandboxes').send(taking)])
    }),
  )

  for (const [at, [deleted, created]] of pairs.entries()) {
    // A sandbox that came too late says so; one that has the volume keeps it from being deleted.
    const settled = await waitFor('it is settled', async () => {
      const found = (await api.get(`/v0/sandboxes/${names[at]}`)).body
      return found.status !== 'DEPLOYING' && found
    })
    expect([deleted.status, created.status, settled.status]).toEqual(
      deleted.status === 200 ? [200, 200, 'FAILED'] : [409, 200, 'DEPLOYED'],
    )
  }
})

test.each(['volume', 'drive'])('a sandbox with a missing %s ends FAILED with the reason', async (storage) => {
  const name = `wants-${storage}`
  await api
    .post('/v0/sandboxes')
    .send(body(name, { [`${storage}s`]: [{ name: 'nowhere', mountPath: '/data' }] }))
    .expect(200)

  const failed = await waitFor('it failed', async () => {
    const { body } = await api.get(`/v0/sandboxes/${name}`)
    return body.status === 'FAILED' && body
  })

  expect(failed.events.at(-1).message).toBe(`There is no ${storage} nowhere: create it, then update this resource.`)
})

test.each(['/', '//', '/a/../b', '..', './a', 'a\\b'])('a volume is not mounted at %j', async (mountPath) => {
  const answer = await api.post('/v0/sandboxes').send(body('lost', { volumes: [{ name: 'disk', mountPath }] }))

  expect([answer.status, answer.body.message]).toMatchObject([
    400,
    expect.stringContaining('must be a folder below the root'),
  ])
})

test('a volume template is created by the first PUT and replaced by the next', async () => {
  const first = await api.put('/v0/volume_templates/base').send(body('base', { defaultSize: 10 }))
  const second = await api.put('/v0/volume_templates/base').send(body('base', { defaultSize: 20 }))
  const other = await api.put('/v0/volume_templates/base-2').send(body('base', { defaultSize: 20 }))

  expect([first.status, second.status, second.body.spec.defaultSize]).toEqual([200, 200, 20])
  expect(other.status).toBe(404)
})

test('an unreadable row is a 500 without details', async () => {
  await api
    .post('/v0/drives')
    .send(body('broken', { region: 'local' }))
    .expect(200)
  await world.pool.query(`update resources set labels = '{"secret-label": 5}' where name = 'broken'`)

  const answer = await api.get('/v0/drives/broken')

  expect(answer.status).toBe(500)
  expect(JSON.stringify(answer.body)).not.toMatch(/label|zod|string/i)
})
