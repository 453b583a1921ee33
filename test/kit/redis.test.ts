import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTestRedis, type TestRedis } from '../support/processes/stores.ts'

let redis: TestRedis

beforeAll(async () => {
  redis = await openTestRedis()
})
afterAll(() => redis.stop())

test('an answer that came while this process had no time is taken', async () => {
  const answer = redis.client.ping()
  await new Promise(setImmediate) // it is sent
  for (const until = performance.now() + 1_500; performance.now() < until; );

  await expect(answer).resolves.toBe('PONG')
})

test('a server that stood still together with this process has a moment to answer', async () => {
  process.kill(redis.pid, 'SIGSTOP')
  const answer = redis.client.ping()
  await new Promise(setImmediate) // it is sent
  for (const until = performance.now() + 1_500; performance.now() < until; );
  setImmediate(() => setImmediate(() => process.kill(redis.pid, 'SIGCONT'))) // it is not awake before we are

  await expect(answer).resolves.toBe('PONG')
})

test('a command that is not answered in time fails, and those behind it too', async () => {
  await redis.client.call('client', 'pause', '3000')

  const answers = await Promise.allSettled([redis.client.ping(), redis.client.get('nothing')])

  expect(answers).toMatchObject([
    { status: 'rejected', reason: { message: 'Command timed out' } },
    { status: 'rejected', reason: { message: 'Command timed out' } },
  ])
})
