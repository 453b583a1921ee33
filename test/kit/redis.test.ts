import { afterAll, beforeAll, expect, test } from 'vitest'
import { answers, openRedis, type RedisClient } from '../../src/kit/database/redis.ts'
import { awaitRedis } from '../../src/kit/database/redis-checks.ts'
import { startTestRedis } from '../support/processes/stores.ts'

let redis: Awaited<ReturnType<typeof startTestRedis>>
let client: RedisClient

beforeAll(async () => {
  redis = await startTestRedis()
  client = openRedis(redis.url)
  await awaitRedis(client, 20_000)
})
afterAll(async () => {
  client.disconnect()
  await redis.stop()
})

test('a client that was just opened answers by its first connection, and not by having none yet', async () => {
  const [opened, nowhere] = [openRedis(redis.url), openRedis('redis://127.0.0.1:1')]

  const said = await Promise.all([answers(opened), answers(nowhere)])
  for (const each of [opened, nowhere]) each.disconnect()

  expect(said).toEqual([true, false])
})

test('an answer that came while this process had no time is taken', async () => {
  const answer = client.ping()
  await new Promise(setImmediate) // it is sent
  for (const until = performance.now() + 1_500; performance.now() < until; );

  await expect(answer).resolves.toBe('PONG')
})

test('a server that stood still together with this process has a moment to answer', async () => {
  redis.signal('SIGSTOP')
  const answer = client.ping()
  await new Promise(setImmediate) // it is sent
  for (const until = performance.now() + 1_500; performance.now() < until; );
  setImmediate(() => setImmediate(() => redis.signal('SIGCONT'))) // it is not awake before we are

  await expect(answer).resolves.toBe('PONG')
})

test('a command that is not answered in time fails, and those behind it too', async () => {
  await client.call('client', 'pause', '3000')

  const commands = await Promise.allSettled([client.ping(), client.get('nothing')])

  expect(commands).toMatchObject([
    { status: 'rejected', reason: { message: 'Command timed out' } },
    { status: 'rejected', reason: { message: 'Command timed out' } },
  ])
})
