import { expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { openRedis } from '../../src/kit/database/redis.ts'
import { databaseProbe, redisProbe } from '../../src/kit/database/store-probes.ts'
import { startCuttingProxy } from '../support/doubles/cutting-proxy.ts'
import { createTestDatabase, openTestRedis, startTestRedis } from '../support/processes/stores.ts'

function opened(url: string, options: Parameters<typeof openPool>[1] = {}) {
  const pool = openPool(url, options)
  onTestFinished(() => pool.end())
  return pool
}

test('a database that accepts writes is ready', async () => {
  await expect.poll(databaseProbe(opened(await createTestDatabase()))).toBe('ready')
})

test('a database that answers reads but rejects writes is read-only', async () => {
  const url = await createTestDatabase()
  await opened(url).query(`alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
  const pool = opened(url)

  expect((await pool.query('select 1')).rowCount).toBe(1)
  await expect.poll(databaseProbe(pool)).toBe('read-only')
})

test('a probe of a database commits a write', async () => {
  const pool = opened(await createTestDatabase())
  const written = async () => (await pool.query<{ at: string }>('select pg_current_wal_insert_lsn() as at')).rows[0]?.at

  const before = await written()
  await databaseProbe(pool)()

  expect(await written()).not.toBe(before)
})

test('a lost connection is detected immediately after a write', async () => {
  const redis = await openTestRedis()
  const probe = redisProbe(redis.client)

  await expect.poll(probe).toBe('ready')
  redis.client.disconnect()

  expect(await probe()).toBe('not answering')
})

test('the probe needs no permission that a program’s role lacks', async () => {
  const { rows } = await opened(await createTestDatabase()).query(
    "select bool_and(has_function_privilege('pg_read_all_stats', oid, 'execute')) as allowed from pg_proc where proname = 'pg_logical_emit_message'",
  )

  expect(rows).toEqual([{ allowed: true }])
})

test('callers share the probe of a hanging database, which uses one connection', async () => {
  const url = new URL(await createTestDatabase())
  const line = await startCuttingProxy(Number(url.port))
  onTestFinished(() => line.close())
  url.port = String(line.port)
  const pool = opened(url.href, { statementTimeoutMs: 2_000 })
  await pool.query('select 1')
  line.blackhole()
  const probe = databaseProbe(pool)

  const states = Promise.all([probe(), probe(), probe()])

  expect(pool.totalCount).toBe(1)
  expect(await states).toEqual(['not answering', 'not answering', 'not answering'])
})

test('an unavailable database does not respond', async () => {
  expect(await databaseProbe(opened('postgres://user@127.0.0.1:1/none'))()).toBe('not answering')
})

test('a Redis that accepts writes is ready', async () => {
  const redis = await openTestRedis()
  onTestFinished(() => redis.stop())

  await expect.poll(redisProbe(redis.client)).toBe('ready')
})

test.each([
  ['read-only', ['replicaof', '127.0.0.1', '1']],
  ['read-only', ['config', 'set', 'min-replicas-to-write', '1']],
  ['full', ['config', 'set', 'maxmemory', '1']],
])('a Redis that rejects writes is %s after %j', async (state, [command = '', ...args]) => {
  const redis = await startTestRedis()
  onTestFinished(() => redis.stop())
  const client = openRedis(redis.url)
  onTestFinished(() => client.disconnect())
  const probe = redisProbe(client)
  await expect.poll(probe).toBe('ready')
  await client.call(command, ...args)

  await expect.poll(probe).toBe(state)
})
