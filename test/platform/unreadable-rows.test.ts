// What we stored and cannot read any more is our fault: 500, and never a 400 that blames the caller.
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestRedis } from '../support/processes/stores.ts'
import { type PlatformWorld, platformWorld } from '../support/worlds/platform-world.ts'

let redis: Awaited<ReturnType<typeof startTestRedis>>
let world: PlatformWorld
let api: ReturnType<PlatformWorld['as']>

beforeAll(async () => {
  redis = await startTestRedis()
  world = await platformWorld({ env: { REDIS_URL: redis.url } })
  api = world.as(world.admin)
  await api
    .post('/v0/drives')
    .send({ metadata: { name: 'data' }, spec: {} })
    .expect(200)
  const runtime = { image: 'local/echo' }
  await api
    .post('/v0/jobs')
    .send({ metadata: { name: 'batch' }, spec: { runtime } })
    .expect(200)
  await api
    .post('/v0/agents')
    .send({ metadata: { name: 'echo' }, spec: { runtime } })
    .expect(200)
  await api
    .post('/v0/jobs/batch/executions')
    .send({ id: 'run', tasks: [{}] })
    .expect(200)
})

afterAll(async () => {
  await world.close()
  await redis.stop()
})

describe('a row that does not fit', () => {
  test.each([
    ['a resource', `update resources set labels = '[1]' where name = 'data'`, '/v0/drives/data'],
    ['a workspace', `update workspaces set runtime = '{"generation": 7}' where name = 'acme'`, '/v0/workspaces/acme'],
    ['a task', `update tasks set state = 'odd'`, '/v0/jobs/batch/executions/run'],
  ])('of %s is 500', async (_what, spoil, path) => {
    await world.pool.query(spoil)

    const answer = await api.get(path)

    expect([answer.status, answer.body.error]).toEqual([500, 'internal_error'])
  })
})

test('a message of a thread that does not fit is 500', async () => {
  const ask = () =>
    request(world.app)
      .post('/acme/agents/echo')
      .auth(world.admin.key, { type: 'bearer' })
      .set('X-Service-Thread-Id', 'odd')
      .send({ inputs: 'hello' })
  await ask().expect(200)
  const [key] = (await world.adapters.redis?.keys('platform:thread:*')) ?? []
  await world.adapters.redis?.rpush(String(key), '{"role": "nobody"}')

  const answer = await ask()

  expect([answer.status, answer.body.error.code]).toEqual([500, 'INTERNAL_ERROR'])
})
