// An unreadable stored row is a 500, never a 400.
import request from 'supertest'
import { afterAll, describe, expect, test } from 'vitest'
import { startTestRedis } from '../support/processes/stores.ts'
import { createResource, platformWorld } from '../support/worlds/platform-world.ts'

const redis = await startTestRedis()
const world = await platformWorld({ env: { REDIS_URL: redis.url } })
const api = world.as(world.admin)
await createResource(api, 'drives', 'data')
const runtime = { image: 'local/echo' }
await createResource(api, 'jobs', 'batch', { runtime })
await createResource(api, 'agents', 'echo', { runtime })
await api
  .post('/v0/jobs/batch/executions')
  .send({ id: 'run', tasks: [{}] })
  .expect(200)

afterAll(async () => {
  await world.close()
  await redis.stop()
})

describe('an invalid row', () => {
  test.each([
    ['a resource', `update resources set labels = '[1]' where name = 'data'`, '/v0/drives/data'],
    ['a workspace', `update workspaces set runtime = '{"generation": 7}' where name = 'acme'`, '/v0/workspaces/acme'],
    ['a task', `update tasks set state = 'odd'`, '/v0/jobs/batch/executions/run'],
  ])('of %s returns 500', async (_what, spoil, path) => {
    await world.pool.query(spoil)

    const answer = await api.get(path)

    expect([answer.status, answer.body.error]).toEqual([500, 'internal_error'])
  })
})

test('an invalid message of a thread returns 500', async () => {
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
