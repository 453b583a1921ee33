import { createHmac } from 'node:crypto'
import request from 'supertest'
import { afterAll, expect, test, vi } from 'vitest'
import { JobExecution } from '../../../src/contract/control-plane/execution.ts'
import { startUpstream } from '../../support/doubles/upstream.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { jobWorld } from '../../support/worlds/job-world.ts'

const ahead = 0

vi.stubEnv('DATABASE_URL', 'CANARY-own') // the workers are this process
const receiver = await startUpstream()
const world = await jobWorld({
  env: { EGRESS_ALLOW: new URL(receiver.url).host },
  adapters: { now: () => new Date(Date.now() + ahead) },
})
afterAll(async () => {
  vi.unstubAllEnvs()
  await world.close()
  await receiver.close()
})

const marksOf = (id: string) => world.marks().filter((line) => line.startsWith(`${id} `))

test('an execution runs every task once, and stores their output and counts', async () => {
  await world.job('mark', { image: 'test/mark', envs: [{ name: 'GREETING', value: 'hello' }] })

  const id = await world.start('mark', { tasks: [{ a: 1 }, { a: 2 }, { a: 3 }] })
  const done = await world.over('mark', id)
  const output = await world.api.get(`/v0/jobs/mark/executions/${id}/tasks/${id}-1/output`)

  expect(JobExecution.parse(done).status).toBe('succeeded')
  expect(done.stats).toEqual({ total: 3, success: 3, failure: 0, cancelled: 0, running: 0, retried: 0 })
  expect(marksOf(id).sort()).toEqual([`${id} 0 1`, `${id} 1 1`, `${id} 2 1`])
  expect(output.body.output).toBe('{"a":2} said hello\n')
  expect(done.tasks[0].conditions).toContainEqual(expect.objectContaining({ type: 'Completed', state: 'True' }))
})

test('a failed task is retried up to the max number of retries', async () => {
  await world.job('fail', { image: 'test/fail', maxRetries: 2 })

  const id = await world.start('fail', { tasks: [{}] })
  const done = await world.over('fail', id)

  expect(done).toMatchObject({ status: 'failed', stats: { failure: 1, retried: 2 } })
  expect(marksOf(id)).toEqual([1, 2, 3].map((attempt) => `${id} 0 ${attempt}`))
  expect(done.tasks[0].conditions).toContainEqual(
    expect.objectContaining({ type: 'Completed', state: 'False', message: 'Exit code 3.' }),
  )
})

test('a task that times out is ended with its child processes, and the execution has the status timeout', async () => {
  await world.job('slow', { image: 'test/slow', timeout: 1 })

  const id = await world.start('slow', { tasks: [{}] })
  const done = await world.over('slow', id)

  expect(done.status).toBe('timeout')
  expect(done.tasks[0].conditions[1]).toMatchObject({ executionReason: 'TIMEOUT', message: 'It ran longer than 1 s.' })
})

test('an execution limits its concurrent tasks', async () => {
  await world.job('brief', { image: 'test/brief' })

  const id = await world.start('brief', { tasks: Array.from({ length: 6 }, () => ({})), parallelism: 2 })
  await world.over('brief', id)

  let open = 0
  const max = Math.max(
    ...world.marks().map((line) => (line.startsWith('begin') ? ++open : line.startsWith('end') ? --open : 0)),
  )
  expect(max).toBeLessThanOrEqual(2)
})

test('a cancelled execution starts no further task, waits for running ones, and is cancelled', async () => {
  await world.job('stop', { image: 'test/held' })
  const id = await world.start('stop', { tasks: Array.from({ length: 8 }, () => ({})), parallelism: 1 })
  await waitFor('the task runs', async () => (await world.read('stop', id)).stats.running === 1)

  const cancelled = await world.api.delete(`/v0/jobs/stop/executions/${id}`)
  world.release(id)
  const done = await world.over('stop', id)

  expect(cancelled.body.status).toBe('cancelling')
  expect(done).toMatchObject({ status: 'cancelled', stats: { success: 1, cancelled: 7 } })
})

test('a task requeued during a cancellation does not delay it', async () => {
  await world.job('stray', { image: 'test/slow', timeout: 20 })
  const id = await world.start('stray', { tasks: [{}] })
  await waitFor('it runs', () => marksOf(id).length === 1)

  await world.api.delete(`/v0/jobs/stray/executions/${id}`).expect(200)
  // As the end of an attempt leaves it that began to be written before the cancel was.
  await world.platform.pool.query(
    `update tasks set state = 'pending', leased_by = null, leased_until = null
     where execution = (select uid from executions where id = $1)`,
    [id],
  )
  const done = await world.over('stray', id)

  expect(done).toMatchObject({ status: 'cancelled', stats: { cancelled: 1, running: 0 } })
})

test('the timeout of an execution overrides that of the job, and unknown fields return 400', async () => {
  await world.job('hurried', { image: 'test/slow', timeout: 600 })

  const id = await world.start('hurried', { tasks: [{}], timeout: 1 })
  const repeated = await world.api.post('/v0/jobs/hurried/executions').send({ tasks: [{}], timeout: 2, id })
  const done = await world.over('hurried', id)
  const unknown = await world.api.post('/v0/jobs/hurried/executions').send({ tasks: [{}], taskTimeout: 1 })

  expect(done).toMatchObject({ status: 'timeout', spec: { timeout: 1 } })
  expect(repeated.status).toBe(409)
  expect([unknown.status, unknown.body.message]).toEqual([400, expect.stringContaining('taskTimeout')])
})

test('P12: overrides reach the task; secret or unknown variables are masked, also in its output; memory can only be lowered', async () => {
  await world.job('over', {
    image: 'test/env',
    memory: 512,
    envs: [
      { name: 'KEPT', value: 'CANARY-kept', secret: true },
      { name: 'HUSH', value: 'CANARY-hush', secret: true },
      { name: 'LEVEL', value: 'info' },
    ],
  })

  const env = { EXTRA: 'CANARY-extra', constructor: 'CANARY-odd', HUSH: 'CANARY-new', LEVEL: 'debug' }
  const id = await world.start('over', { tasks: [{}], env, memory: 256 })
  const text = await world.start('over', { tasks: [{}], envOverride: '{"EXTRA":"from text"}' })
  const done = await world.over('over', id)
  await world.over('over', text)
  const { body } = await world.api.get(`/v0/jobs/over/executions/${id}/tasks/${id}-0/output`)
  const more = await world.api.post('/v0/jobs/over/executions').send({ tasks: [{}], memory: 1_024 })

  expect(body.output).toContain('EXTRA=[secret]\n')
  expect(body.output).toContain('KEPT=[secret]\n')
  expect(body.output).not.toContain('CANARY')
  expect(body.output).toContain('LEVEL=debug\n')
  expect(done.spec.memoryOverride).toBe(256)
  expect(JSON.parse(done.spec.envOverride)).toEqual({
    EXTRA: '********',
    constructor: '********',
    HUSH: '********',
    LEVEL: 'debug',
  })
  expect(JSON.stringify(done)).not.toContain('CANARY')
  expect([more.status, more.body.message]).toEqual([400, expect.stringContaining('memory')])
})

test('an http trigger returns the finished execution, and an http-async one sends a signed callback', async () => {
  const triggers = [
    { type: 'http', configuration: { path: '/now', tasks: [{ n: 1 }] } },
    {
      type: 'http-async',
      configuration: { path: 'later', callbackUrl: `${receiver.url}/callback`, callbackSecret: 'hush' },
    },
  ]
  await world.job('hooked', { image: 'local/echo' }, { triggers })
  const post = (path: string, body: object) =>
    request(world.platform.app)
      .post(`/acme/jobs/hooked${path}`)
      .auth(world.platform.admin.key, { type: 'bearer' })
      .send(body)

  const now = await post('/now', {})
  const later = await post('/later', { tasks: [{ n: 2 }] })
  const none = await post('/never', {})
  const callback = await waitFor('the callback came', () => receiver.state.callbacks[0])

  expect(now.body).toMatchObject({ status: 'succeeded', stats: { total: 1 } })
  expect(later.body).toEqual({ success: true, executionId: expect.any(String) })
  expect([none.status, none.body.error.code]).toEqual([404, 'ROUTE_NOT_FOUND'])
  expect(JSON.parse(JSON.parse(callback.body).response_body)).toMatchObject({
    executionId: later.body.executionId,
    status: 'succeeded',
  })
  expect(callback.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
})

test('an http trigger with a callback responds and sends the callback', async () => {
  const configuration = { callbackUrl: `${receiver.url}/callback`, callbackSecret: 'hush' }
  await world.job('both', { image: 'local/echo' }, { triggers: [{ type: 'http', configuration }] })
  receiver.state.callbacks = []

  const { body } = await request(world.platform.app)
    .post('/acme/jobs/both')
    .auth(world.platform.admin.key, { type: 'bearer' })
    .send({ tasks: [{}] })
  const callback = await waitFor('the callback came', () => receiver.state.callbacks[0])

  expect(body).toMatchObject({ status: 'succeeded', stats: { total: 1 } })
  expect(JSON.parse(JSON.parse(callback.body).response_body).executionId).toBe(body.metadata.id)
  expect(callback.headers['x-service-signature']).toMatch(/^sha256=[0-9a-f]{64}$/)
})

test('P4: a callback of a trigger without a secret is signed with the generated one', async () => {
  const triggers = [{ type: 'http', configuration: { callbackUrl: `${receiver.url}/callback`, callbackSecret: '' } }]
  const input = { metadata: { name: 'made' }, spec: { runtime: { image: 'local/echo' }, triggers } }
  const { body: job } = await world.platform.as(world.platform.admin).post('/v0/jobs').send(input)
  receiver.state.callbacks = []

  await request(world.platform.app)
    .post('/acme/jobs/made')
    .auth(world.platform.admin.key, { type: 'bearer' })
    .send({ tasks: [{}] })
    .expect(200)
  const callback = await waitFor('the callback came', () => receiver.state.callbacks[0])

  const secret = job.spec.triggers[0].configuration.callbackSecret
  const expected = createHmac('sha256', secret).update(callback.body).digest('hex')
  expect(callback.headers['x-service-signature']).toBe(`sha256=${expected}`)
})

test('a rejected callback is retried with the same body and a new timestamp', async () => {
  const configuration = { callbackUrl: `${receiver.url}/callback`, callbackSecret: 'hush', retry: 2 }
  await world.job('told', { image: 'local/echo' }, { triggers: [{ type: 'http-async', configuration }] })
  Object.assign(receiver.state, { callbacks: [], failingCallbacks: 1 })

  await request(world.platform.app)
    .post('/acme/jobs/told')
    .auth(world.platform.admin.key, { type: 'bearer' })
    .send({ tasks: [{}] })
    .expect(200)
  await waitFor('it was told twice', () => receiver.state.callbacks.length === 2)

  const [first, second] = receiver.state.callbacks.map(({ body }) => JSON.parse(body).response_body)
  expect(second).toBe(first)
})

test('tasks are metered once each, in gigabyte-seconds of the job', async () => {
  await world.job('metered', { image: 'test/brief', memory: 1_024 })
  const id = await world.start('metered', { tasks: [{}, {}] })
  await world.over('metered', id)

  const rows = await waitFor('both tasks are metered', async () => {
    const found = await world.platform.pool.query(`select quantity from usage_events where resource_name = 'metered'`)
    return found.rows.length === 2 && found.rows
  })

  expect(rows.every(({ quantity }) => Number(quantity) >= 0.3)).toBe(true)
})
