import { Redis } from 'ioredis'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { givenRedis, givenServer } from '../../src/demo/given-stores.ts'
import { createRedisDatabase, createTestDatabase } from '../support/processes/stores.ts'

const names = ['onboarding', 'platform']
const alone = { sharedStores: false }
const shared = { sharedStores: true }

let url: string
let client: pg.Client

beforeAll(async () => {
  await createTestDatabase() // somebody else's
  url = await createTestDatabase()
  client = new pg.Client({ connectionString: url })
  await client.connect()
})
afterAll(() => client.end())

test('S19: a server that holds other databases gets no known passwords, unless its owner says so', async () => {
  const refused = givenServer(url, names, alone)

  await expect(refused).rejects.toThrow(/holds other databases.*Leave DATABASE_URL out.*DEMO_ON_SHARED_STORES=allow/)
  const addressOf = await givenServer(url, names, shared)
  expect(addressOf('platform')).toBe(`${url}_platform`)
})

test('S19: databases that the demo made are used again, and others of the same name never are', async () => {
  const own = new URL(url).pathname.slice(1)
  await givenServer(url, names, shared)
  await expect(givenServer(url, names, shared)).resolves.toBeTypeOf('function')
  await client.query(`create database "${own}_ledger"`)

  const refused = givenServer(url, [...names, 'ledger'], shared)

  await expect(refused).rejects.toThrow(`the demo did not create ${own}_ledger`)
})

test('S19: a Redis with keys of others is refused, and its own is found again', async () => {
  const [strange, empty] = [await createRedisDatabase(), await createRedisDatabase()]
  const redis = new Redis(strange)
  await redis.set('somebody', 'else')
  redis.disconnect()

  await expect(givenRedis(strange, alone)).rejects.toThrow(/holds keys of others.*Leave REDIS_URL out/)
  await expect(givenRedis(strange, shared)).resolves.toBe(strange)
  await givenRedis(empty, alone)
  await expect(givenRedis(empty, alone)).resolves.toBe(empty)
})
