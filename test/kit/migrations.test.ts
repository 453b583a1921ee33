import { expect, test } from 'vitest'
import { migrate } from '../../src/kit/database/migrations.ts'
import { openPool } from '../../src/kit/database/pool.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

test('a step may take longer than a request may, and so may the wait for another process that takes it', async () => {
  const url = await createTestDatabase()
  const pools = [openPool(url, { statementTimeoutMs: 1_000 }), openPool(url, { statementTimeoutMs: 1_000 })] as const
  const steps = [{ name: 'long', sql: 'create table things (id integer); select pg_sleep(2.5)' }]

  await Promise.all(pools.map((pool) => migrate(pool, steps)))
  const { rows } = await pools[0].query('select name from migrations')
  const { rows: limits } = await pools[0].query('show statement_timeout')

  expect(rows).toEqual([{ name: 'long' }])
  expect(limits).toEqual([{ statement_timeout: '1s' }]) // the connection is an ordinary one again
  await Promise.all(pools.map((pool) => pool.end()))
})
