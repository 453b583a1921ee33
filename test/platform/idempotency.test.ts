// Case 57 of the attack catalogue, as far as it is about Idempotency-Key.
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { StoreUnavailable } from '../../src/kit/database/store-errors.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

const world = await platformWorld()
const api = world.as(world.admin)

afterAll(() => world.close())

const drive = (name: string, displayName = name) => ({ metadata: { name, displayName }, spec: {} })
const post = (key: string, body: object, client = api) =>
  client.post('/v0/drives').set('Idempotency-Key', key).send(body)

test('a repeated request returns the first response, marked as a replay', async () => {
  const first = await post('again', drive('once'))
  const second = await post('again', drive('once'))

  expect([first.status, second.status]).toEqual([200, 200])
  expect(second.body).toEqual(first.body)
  expect([first.headers['idempotency-replayed'], second.headers['idempotency-replayed']]).toEqual([undefined, 'true'])
})

test('the same key with another body returns 422 and creates nothing', async () => {
  await post('bent', drive('straight')).expect(200)

  const answer = await post('bent', drive('bent'))

  expect([answer.status, answer.body.error]).toEqual([422, 'idempotency_key_reused'])
  await api.get('/v0/drives/bent').expect(404)
})

test('twenty concurrent requests create one resource, and each gets it or has to retry', async () => {
  const answers = await Promise.all(Array.from({ length: 20 }, () => post('crowd', drive('crowded'))))

  const statuses = new Set(answers.map(({ status }) => status))
  expect([...statuses].every((status) => status === 200 || status === 409)).toBe(true)
  expect(answers.filter(({ status }) => status === 409).every(({ body }) => /in_progress/.test(body.error))).toBe(true)
  expect(statuses).toContain(200)
})

test('keys of other callers, workspaces or URLs are separate', async () => {
  const other = world.as(await world.enter('elsewhere', 'owner@other.example', 'other'))
  await post('mine', drive('shared-name')).expect(200)

  const foreign = await post('mine', drive('shared-name'), other)
  const elsewhere = await api.post('/v0/volumes').set('Idempotency-Key', 'mine').send(drive('shared-name'))

  expect([foreign.status, elsewhere.status]).toEqual([200, 200])
  expect(foreign.body.metadata.workspace).toBe('elsewhere')
})

test('a rejected request releases its key: the corrected request succeeds with the same key', async () => {
  await post('mended', drive('Not Good')).expect(400)

  const answer = await post('mended', drive('good'))

  expect(answer.status).toBe(200)
})

/** Starts an execution: nothing but the key keeps a second one from being started. */
const start = (key: string) =>
  request(world.app)
    .post('/acme/jobs/counted/executions')
    .auth(world.admin.key, { type: 'bearer' })
    .set('Idempotency-Key', key)
    .send({ tasks: [{ n: 1 }] })

const executionsStarted = async (): Promise<number> => {
  const { body } = await api.get('/v0/jobs/counted/executions')
  return body.meta.total
}

/** No answer can be stored until the function that this returns is called. */
async function failAnswers(): Promise<() => Promise<unknown>> {
  await world.pool.query(`create function refuse_answer() returns trigger language plpgsql as
    $$ begin raise exception 'no room'; end $$`)
  await world.pool.query(`create trigger refuse_answer before update of answer on idempotent_requests
    for each row execute function refuse_answer()`)
  return () => world.pool.query('drop function refuse_answer cascade')
}

const minutesPass = () => world.pool.query(`update idempotent_requests set begun_at = begun_at - interval '2 minutes'`)

describe('a completed request keeps its key', () => {
  beforeAll(async () => {
    await api.post('/v0/jobs').send({ metadata: { name: 'counted' }, spec: { runtime: { image: 'local/echo' } } })
  })

  test('if its response could not be stored', async () => {
    const restore = await failAnswers()
    const before = await executionsStarted()

    const first = await start('unkept').expect(200)
    await restore()
    const soon = await start('unkept')
    await minutesPass()
    const later = await start('unkept')

    expect(first.body.id ?? first.body.executionId).toBeTruthy()
    expect([soon.status, soon.body.error.retryable, soon.headers['retry-after']]).toEqual([409, true, '1'])
    expect([later.status, later.body.error.retryable]).toEqual([409, false])
    expect(later.body.error.message).toContain('may have taken effect')
    expect(await executionsStarted()).toBe(before + 1)
  })

  test('if the database connection was lost before it confirmed', async () => {
    const { executions } = world.adapters
    const { add } = executions
    const before = await executionsStarted()

    executions.add = async (...request) => {
      await add(...request)
      throw new StoreUnavailable(new Error('Connection terminated unexpectedly'))
    }
    const first = await start('cut-off')
    executions.add = add
    await minutesPass()
    const later = await start('cut-off')

    expect([first.status, later.status, later.body.error.code]).toEqual([503, 409, 'CONFLICT'])
    expect(await executionsStarted()).toBe(before + 1)
  })

  test('and returns its own error code below /v0', async () => {
    const restore = await failAnswers()

    const first = await post('unkept', drive('unkept'))
    await restore()
    await minutesPass()
    const later = await post('unkept', drive('unkept'))

    expect([first.status, later.status, later.body.error]).toEqual([200, 409, 'idempotency_outcome_unknown'])
  })
})

test.each(['', 'x'.repeat(256), 'x'.repeat(10_000), 'with space'])('the key %j is rejected', async (key) => {
  const answer = await post(key, drive('never'))

  expect(answer.status).toBe(400)
})

test('a new secret in a stored response is sealed', async () => {
  const { body } = await api.post('/v0/service_accounts').set('Idempotency-Key', 'secret').send({ name: 'robot' })
  const again = await api.post('/v0/service_accounts').set('Idempotency-Key', 'secret').send({ name: 'robot' })

  const { rows } = await world.pool.query(`select string_agg(r::text, '') as text from idempotent_requests r`)
  expect(again.body.clientSecret).toBe(body.clientSecret)
  expect(rows[0].text).not.toContain(body.clientSecret)
})

test.each(['executions', 'hook', 'wait'])(
  'at the gateway, two requests for %s with one key start one execution',
  async (address) => {
    const triggers = [
      { type: 'http-async', configuration: { path: 'hook' } },
      { type: 'http', configuration: { path: 'wait' } },
    ]
    const spec = { runtime: { image: 'local/echo' }, triggers }
    await api.post('/v0/jobs').send({ metadata: { name: `job-${address}` }, spec })
    const send = (key: string, body: object) =>
      request(world.app)
        .post(`/acme/jobs/job-${address}/${address}`)
        .auth(world.admin.key, { type: 'bearer' })
        .set('Idempotency-Key', key)
        .send(body)

    const first = await send('one', { tasks: [{ n: 1 }] })
    const again = await send('one', { tasks: [{ n: 1 }] })
    const bent = await send('one', { tasks: [{ n: 2 }] })
    const other = await send('two', { tasks: [{ n: 1 }] })

    const { body } = await api.get(`/v0/jobs/job-${address}/executions`)
    expect([first.status, other.status, body.meta.total]).toEqual([200, 200, 2])
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true'])
    expect(bent.body.error).toMatchObject({ code: 'BAD_REQUEST', status: 422 })
  },
)
