// Starting executions, and reading about them: ids, addresses, versions and lists.
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { jobWorld } from '../../support/worlds/job-world.ts'

const world = await jobWorld()
afterAll(() => world.close())

type Shown = { metadata: { id: string; name: string } }

const marksOf = (id: string) => world.marks().filter((line) => line.startsWith(`${id} `))

test('both URLs start executions for any content type, with the same response', async () => {
  await world.job('echo', { image: 'local/echo' })
  const body = JSON.stringify({ tasks: [{ n: 1 }], executionId: 'first' })

  const managed = await world.api.post('/v0/jobs/echo/executions').type('text/plain').send(body)
  const direct = await request(world.platform.app)
    .post('/acme/jobs/echo/executions')
    .auth(world.platform.admin.key, { type: 'bearer' })
    .type('text/plain')
    .send(body.replace('first', 'second'))

  expect(managed.body).toEqual({
    executionId: 'first',
    id: 'first',
    jobId: 'echo',
    workspaceId: 'acme',
    tasks: [{ n: 1 }],
  })
  expect(direct.body).toEqual({ ...managed.body, executionId: 'second', id: 'second' })
})

const direct = (job: string) =>
  request(world.platform.app).post(`/acme/jobs/${job}/executions`).auth(world.platform.admin.key, { type: 'bearer' })

test('a repeated ID starts nothing new, and returns the existing execution', async () => {
  await world.job('once', { image: 'test/mark' })
  const asked = { tasks: [{ a: 1, b: [2] }], id: 'same' }

  const first = await world.api.post('/v0/jobs/once/executions').send(asked)
  const again = await world.api
    .post('/v0/jobs/once/executions')
    .send({ tasks: [{ b: [2], a: 1 }], executionId: 'same' })
  const elsewhere = await direct('once').send({ ...asked, executionId: 'same' })
  const done = await world.over('once', 'same')

  expect([again.body, elsewhere.body]).toEqual([first.body, first.body])
  expect(done.stats.total).toBe(1)
  expect(marksOf('same')).toHaveLength(1)
})

test.each([
  ['other tasks', { tasks: [{ a: 2 }] }],
  ['more tasks', { tasks: [{ a: 1 }, { a: 1 }] }],
  ['another environment', { tasks: [{ a: 1 }], env: { B: 'c' } }],
  ['less memory', { tasks: [{ a: 1 }], memory: 1 }],
])('the same ID with %s gets 409, and starts nothing', async (what, body) => {
  const job = `taken-${what.replaceAll(' ', '-')}`
  await world.job(job, { image: 'local/echo' })
  await world.start(job, { tasks: [{ a: 1 }], id: 'taken' })

  const managed = await world.api.post(`/v0/jobs/${job}/executions`).send({ ...body, id: 'taken' })
  const gateway = await direct(job).send({ ...body, id: 'taken' })

  expect([managed.status, managed.body.error]).toEqual([409, 'conflict'])
  expect(gateway.body.error).toMatchObject({ code: 'CONFLICT', status: 409, retryable: false })
  expect((await world.read(job, 'taken')).stats.total).toBe(1)
})

test('the same ID with another value of an override gets 409', async () => {
  await world.job('shown', { image: 'local/echo', envs: [{ name: 'REGION', value: 'eu', secret: false }] })
  const asked = { id: 'taken', tasks: [{}] }
  await world.start('shown', { ...asked, env: { REGION: 'us' } })

  const same = await world.api.post('/v0/jobs/shown/executions').send({ ...asked, env: { REGION: 'us' } })
  const other = await world.api.post('/v0/jobs/shown/executions').send({ ...asked, env: { REGION: 'ap' } })

  expect([same.status, other.status]).toEqual([200, 409])
})

test('lists executions newest first, paginated from 2026-04-28 and as an array before', async () => {
  await world.job('many', { image: 'local/echo' })
  for (let at = 0; at < 5; at++) await world.start('many', { tasks: [{}], id: `e${at}` })

  const first = await world.api.get('/v0/jobs/many/executions?limit=3')
  const second = await world.api.get(`/v0/jobs/many/executions?limit=3&cursor=${first.body.meta.nextCursor}`)
  const old = await world.platform.as(world.platform.admin, '').get('/v0/jobs/many/executions')
  const tasks = await world.api.get('/v0/jobs/many/executions/e1/tasks')

  const ids = (data: Array<{ metadata: { id: string } }>) => data.map(({ metadata }) => metadata.id)
  expect([ids(first.body.data), first.body.meta.total]).toEqual([['e4', 'e3', 'e2'], 5])
  expect([ids(second.body.data), second.body.meta.nextCursor]).toEqual([['e1', 'e0'], ''])
  expect(old.body).toHaveLength(5)
  expect(tasks.body.data[0].metadata.name).toBe('e1-0')
})

test.each(['2026-04-16', '2026-04-20', ''])(
  'at %j executions and tasks are bare arrays, and the query is ignored',
  async (version) => {
    const name = `whole-${version}x`
    await world.job(name, { image: 'local/echo' })
    await world.start(name, { tasks: Array.from({ length: 450 }, () => ({})), id: 'large' })
    for (let at = 0; at < 24; at++) await world.start(name, { tasks: [{}], id: `e${at}` })
    const old = world.platform.as(world.platform.admin, version)
    const ignored = { limit: 1, cursor: 'none' }

    const executions = await old.get(`/v0/jobs/${name}/executions`).query(ignored)
    const tasks = await old.get(`/v0/jobs/${name}/executions/large/tasks`).query(ignored)
    const missing = await old.get(`/v0/jobs/${name}/executions/never/tasks`)

    expect(executions.body.map(({ metadata }: Shown) => metadata.id)).toEqual([
      ...Array.from({ length: 24 }, (_, at) => `e${23 - at}`),
      'large',
    ])
    expect(tasks.body.map(({ metadata }: Shown) => metadata.name)).toEqual(
      Array.from({ length: 450 }, (_, at) => `large-${at}`),
    )
    expect([missing.status, missing.body.error]).toEqual([404, 'not_found'])
  },
)

test('tasks are paginated', async () => {
  await world.job('long', { image: 'local/echo' })
  await world.start('long', { tasks: Array.from({ length: 250 }, () => ({})), id: 'l' })

  const walked: string[] = []
  for (let cursor: string | undefined; cursor !== ''; ) {
    const { body } = await world.api.get('/v0/jobs/long/executions/l/tasks').query({ limit: 100, cursor })
    expect(body.meta.total).toBe(250)
    walked.push(...body.data.map(({ metadata }: Shown) => metadata.name))
    cursor = body.meta.nextCursor as string
  }

  expect(walked).toEqual(Array.from({ length: 250 }, (_, at) => `l-${at}`))
})

test.each([
  ['no tasks', {}, 400],
  ['an empty list', { tasks: [] }, 400],
  ['an invalid ID', { tasks: [{}], id: '../x' }, 400],
  ['two different IDs', { tasks: [{}], id: 'a', executionId: 'b' }, 400],
  ['an invalid variable', { tasks: [{}], env: { 'A=B': 'c' } }, 400],
])('%s is rejected', async (_, body, status) => {
  await world.api.post('/v0/jobs').send({ metadata: { name: 'strict' }, spec: { runtime: { image: 'local/echo' } } })

  expect((await world.api.post('/v0/jobs/strict/executions').send(body)).status).toBe(status)
})

test.each(['bogus', '2026-04-27', '2026-04-28.preview'])(
  'the unknown version %j gets the same error at both URLs, and starts nothing',
  async (version) => {
    await world.api.post('/v0/jobs').send({ metadata: { name: 'dated' }, spec: { runtime: { image: 'local/echo' } } })

    const managed = await world.platform
      .as(world.platform.admin, version)
      .post('/v0/jobs/dated/executions')
      .send({ tasks: [{}] })
    const gateway = await direct('dated')
      .set('Service-Version', version)
      .send({ tasks: [{}] })
    const known = await direct('dated')
      .set('Service-Version', '2026-04-28')
      .send({ tasks: [{}], id: version.slice(0, 5) })

    expect([gateway.status, gateway.body]).toEqual([400, managed.body])
    expect(managed.body.error).toBe('invalid_api_version')
    expect(gateway.headers['x-service-source']).toBe('platform')
    expect(known.status).toBe(200)
  },
)

test('an unknown job returns 404 at both URLs, each in its own format', async () => {
  const managed = await world.api.post('/v0/jobs/none/executions').send({ tasks: [{}] })
  const direct = await request(world.platform.app)
    .post('/acme/jobs/none/executions')
    .auth(world.platform.admin.key, { type: 'bearer' })
    .send({ tasks: [{}] })

  expect([managed.status, managed.body.code]).toEqual([404, 404])
  expect(direct.body.error).toMatchObject({ code: 'WORKLOAD_NOT_FOUND', status: 404 })
})
