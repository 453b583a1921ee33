import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, expect, test } from 'vitest'
import { givenRedis, givenServer } from '../../src/demo/given-stores.ts'
import { createRedisDatabase, createTestDatabase } from '../support/processes/stores.ts'

const names = ['onboarding', 'platform']
const alone = { sharedStores: false }
const shared = { sharedStores: true }

await createTestDatabase() // somebody else's
const url = await createTestDatabase()
const client = new pg.Client({ connectionString: url })
await client.connect()
afterAll(() => client.end())

test('S19: the demo rejects a server with other databases unless its owner allows it', async () => {
  const refused = givenServer(url, names, alone)

  await expect(refused).rejects.toThrow(/holds other databases.*Leave DATABASE_URL out.*DEMO_ON_SHARED_STORES=allow/)
  const addressOf = await givenServer(url, names, shared)
  expect(addressOf('platform')).toBe(`${url}_platform`)
})

test('S19: the demo reuses its own databases and rejects foreign ones of the same name', async () => {
  const own = new URL(url).pathname.slice(1)
  await givenServer(url, names, shared)
  await expect(givenServer(url, names, shared)).resolves.toBeTypeOf('function')
  await client.query(`create database "${own}_ledger"`)

  const refused = givenServer(url, [...names, 'ledger'], shared)

  await expect(refused).rejects.toThrow(`the demo did not create ${own}_ledger`)
})

test('S19: the demo rejects a Redis with foreign keys and reuses its own', async () => {
  const [strange, empty] = [await createRedisDatabase(), await createRedisDatabase()]
  const redis = new Redis(strange)
  await redis.set('somebody', 'else')
  redis.disconnect()

  await expect(givenRedis(strange, alone)).rejects.toThrow(/holds keys of others.*Leave REDIS_URL out/)
  await expect(givenRedis(strange, shared)).resolves.toBe(strange)
  await givenRedis(empty, alone)
  await expect(givenRedis(empty, alone)).resolves.toBe(empty)
})
