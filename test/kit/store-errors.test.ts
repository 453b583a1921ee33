import { describe, expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { preparedStatements, Statement } from '../../src/kit/database/prepared.ts'
import { openRedis } from '../../src/kit/database/redis.ts'
import {
  classifyPostgresError,
  classifyRedisError,
  StoreUnavailable,
  storeHost,
  ValueUnstorable,
} from '../../src/kit/database/store-errors.ts'
import { describeError } from '../../src/kit/process/log.ts'
import { startCuttingProxy } from '../support/doubles/cutting-proxy.ts'
import { createTestDatabase, openTestRedis } from '../support/processes/stores.ts'

const withCode = (code: string) => Object.assign(new Error('said by the server'), { code })

describe('an error of PostgreSQL or its driver', () => {
  test.each(['08006', '25006', '42501', '53300', '57P03', '58030', 'XX000', 'ECONNREFUSED', 'EPIPE', 'ENOTFOUND'])(
    '%s means an unavailable store, and keeps the code',
    (code) => {
      const error = classifyPostgresError(withCode(code))

      expect(error).toBeInstanceOf(StoreUnavailable)
      expect(error).toMatchObject({ name: 'StoreUnavailable', code, cause: { code } })
    },
  )

  test.each([
    'timeout exceeded when trying to connect',
    'Connection terminated unexpectedly',
    'Query read timeout',
    'Client was closed and is not queryable',
  ])('"%s" means an unavailable store', (message) => {
    expect(classifyPostgresError(new Error(message))).toBeInstanceOf(StoreUnavailable)
  })

  test.each(['23505', '40001', '42P01', '28P01'])('%s is rethrown unchanged', (code) => {
    const error = withCode(code)

    expect(classifyPostgresError(error)).toBe(error)
  })
})

test.each([
  'Connection is closed.',
  "Stream isn't writeable and enableOfflineQueue options is false",
  "Cluster isn't ready and enableOfflineQueue options is false",
  'LOADING Redis is loading the dataset in memory',
  "OOM command not allowed when used memory > 'maxmemory'.",
  'MISCONF Redis is configured to save RDB snapshots',
])('"%s" means an unavailable Redis', (message) => {
  expect(classifyRedisError(new Error(message))).toBeInstanceOf(StoreUnavailable)
})

describe('a pool', () => {
  const ways = {
    'its own query': (url: string) => {
      const pool = openPool(url)
      onTestFinished(() => pool.end())
      return (text: string, values: unknown[]) => pool.query(text, values)
    },
    'a connection of it': (url: string) => {
      const pool = openPool(url)
      onTestFinished(() => pool.end())
      return async (text: string, values: unknown[]) => {
        const client = await pool.connect()
        try {
          return await client.query(text, values)
        } finally {
          client.release()
        }
      }
    },
    'prepared statements': (url: string) => {
      const pool = openPool(url)
      onTestFinished(() => pool.end())
      const run = preparedStatements(pool)
      return (text: string, values: unknown[]) => run(new Statement(text), values as string[])
    },
  }

  test.each(Object.entries(ways))('by %s reports unstorable values, and rethrows other errors', async (_way, open) => {
    const query = open(await createTestDatabase())

    const outcomes = await Promise.allSettled([
      query('select $1::text', ['half\0']),
      query('select $1::int2', ['70000']),
      query('select missing', []),
    ])

    expect(outcomes).toMatchObject([
      { reason: { name: 'ValueUnstorable' } },
      { reason: { name: 'ValueUnstorable', code: '22003' } },
      { reason: { code: '42703' } },
    ])
    expect(outcomes[0]).toMatchObject({ reason: expect.any(ValueUnstorable) })
    expect(outcomes[2]).not.toMatchObject({ reason: expect.any(StoreUnavailable) })
  })

  test.each(Object.entries(ways))('by %s reports a broken connection', async (_way, open) => {
    const url = new URL(await createTestDatabase())
    const watcher = openPool(url.href)
    onTestFinished(() => watcher.end())
    const line = await startCuttingProxy(Number(url.port))
    onTestFinished(() => line.close())
    url.port = String(line.port)
    const asked = open(url.href)('select pg_sleep(30)', []).catch((error) => error)
    // Only in this database: statements of cut connections continue sleeping.
    const working = `select from pg_stat_activity
      where datname = current_database() and query like 'select pg_sleep%' and state = 'active'`
    await expect.poll(async () => (await watcher.query(working)).rowCount).toBe(1)

    line.cutOpen()

    expect(await asked).toBeInstanceOf(StoreUnavailable)
  })

  test.each(Object.entries(ways))('by %s reports an unreachable server', async (_way, open) => {
    const query = open('postgres://user@127.0.0.1:1/none')

    await expect(query('select 1', [])).rejects.toBeInstanceOf(StoreUnavailable)
  })
})

test('a stopped Redis is unavailable, for a command and in a pipeline', async () => {
  const redis = await openTestRedis()
  redis.client.disconnect()

  const alone = redis.client.get('key')
  const together = redis.client.pipeline().get('key').exec()

  await expect(alone).rejects.toBeInstanceOf(StoreUnavailable)
  expect(await together).toEqual([[expect.any(StoreUnavailable)]])
  await redis.stop()
})

test('an error reply of Redis is rethrown unchanged', async () => {
  const redis = await openTestRedis()
  await redis.client.set('text', 'not a list')

  const refused = await redis.client.lpush('text', 'entry').catch((error) => error)

  expect(refused).not.toBeInstanceOf(StoreUnavailable)
  expect(refused.message).toMatch(/^WRONGTYPE/)
  await redis.stop()
})

describe('the log contains the store, its host and its code, but no password', () => {
  test('for an unavailable PostgreSQL', async () => {
    const pool = openPool('postgres://user:hidden@127.0.0.1:1/none')
    onTestFinished(() => pool.end())

    const error = await pool.query('select 1').catch((refused) => refused)

    expect(describeError(error)).toBe('StoreUnavailable PostgreSQL 127.0.0.1:1 ECONNREFUSED')
  })

  test('for a read-only PostgreSQL', async () => {
    const url = await createTestDatabase()
    const pool = openPool(url)
    onTestFinished(() => pool.end())

    const error = await pool.query('begin read only; create table t ()').catch((refused) => refused)

    expect(describeError(error)).toBe(`StoreUnavailable PostgreSQL ${new URL(url).host} 25006`)
  })

  test('for an unavailable Redis, with the reason of the lost connection', async () => {
    const client = openRedis('redis://:hidden@127.0.0.1:1')
    onTestFinished(() => client.disconnect())
    await new Promise((resolve) => client.once('error', resolve))

    const error = await client.get('key').catch((refused) => refused)

    expect(describeError(error)).toBe('StoreUnavailable Redis 127.0.0.1:1 ECONNREFUSED')
  })

  test('for a Redis that rejects writes', () => {
    const error = classifyRedisError(new Error("READONLY You can't write against a read only replica."), 'cache:6379')

    expect(describeError(error)).toBe('StoreUnavailable Redis cache:6379 READONLY')
  })

  test.each([
    ['postgres://user:hidden@db.example.com:5432/onboarding?sslmode=require', 'db.example.com:5432'],
    ['redis+sentinel://user:hidden@one:26379,two:26379/primary', 'one:26379,two:26379'],
    ['redis+cluster://one:7000,two:7001', 'one:7000,two:7001'],
    ['redis+cluster://user:hid@den@one:7000,two:7001', ''],
    ['postgres://user:hid@den:x@db', 'db'],
  ])('%s', (url, host) => {
    expect(storeHost(url)).toBe(host)
  })
})
