import { afterAll, expect, test } from 'vitest'
import { answers, awaitRedis, openRedis } from '../../src/kit/database/redis.ts'
import { startTestRedis } from '../support/processes/stores.ts'

const redis = await startTestRedis()
const client = openRedis(redis.url)
await awaitRedis(client, 20_000)
afterAll(async () => {
  client.disconnect()
  await redis.stop()
})

test('answers() waits for the first connection of a new client', async () => {
  const [opened, nowhere] = [openRedis(redis.url), openRedis('redis://127.0.0.1:1')]

  const said = await Promise.all([answers(opened), answers(nowhere)])
  for (const each of [opened, nowhere]) each.disconnect()

  expect(said).toEqual([true, false])
})

test('a reply that arrived while this process was blocked is used', async () => {
  const reply = client.ping()
  await new Promise(setImmediate) // the command is sent
  for (const until = performance.now() + 2_000; performance.now() < until; );

  await expect(reply).resolves.toBe('PONG')
})

test('commands time out, also those queued behind', async () => {
  await client.call('client', 'pause', '4000')

  const commands = await Promise.allSettled([client.ping(), client.get('nothing')])

  expect(commands).toMatchObject([
    { status: 'rejected', reason: { message: 'Command timed out' } },
    { status: 'rejected', reason: { message: 'Command timed out' } },
  ])
})
