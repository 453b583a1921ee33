// PostgreSQL responds, but commits wait for a synchronous standby that is down.
import { expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { databaseProbe } from '../../src/kit/database/store-probes.ts'
import { startKillablePostgres } from '../support/processes/killable-stores.ts'

test('O28, commits hang: the database does not respond until they complete again', async () => {
  const postgres = await startKillablePostgres()
  onTestFinished(() => postgres.stop())
  const pool = openPool(postgres.url)
  onTestFinished(() => pool.end())
  const probe = databaseProbe(pool)
  const setStandby = async (change: string) => {
    await pool.query(`alter system ${change}`)
    await pool.query('select pg_reload_conf()')
  }

  await expect.poll(probe).toBe('ready')
  await setStandby("set synchronous_standby_names = 'gone'")
  await expect.poll(probe, { timeout: 30_000 }).toBe('not answering')
  const read = await pool.query('select 1')
  await setStandby('reset synchronous_standby_names')

  expect(read.rowCount).toBe(1)
  await expect.poll(probe, { timeout: 30_000 }).toBe('ready')
}, 120_000)
