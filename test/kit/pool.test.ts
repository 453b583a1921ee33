import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { startCuttingProxy } from '../support/doubles/cutting-proxy.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

function poolOfOne(url: string) {
  const pool = openPool(url, { connections: 1 })
  onTestFinished(() => pool.end())
  return pool
}

test('gives up a silent server and frees its place in the pool', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  onTestFinished(() => void silent.close())
  const pool = poolOfOne(`postgres://user@127.0.0.1:${(silent.address() as AddressInfo).port}/none`)

  const refusals = await Promise.allSettled([pool.query('select 1'), pool.connect()])

  expect(refusals.map((each) => each.status === 'rejected' && each.reason.message)).toEqual([
    expect.stringMatching(/timeout/),
    expect.stringMatching(/timeout/),
  ])
  expect(pool.waitingCount).toBe(0)
  await waitFor('its place is free', () => pool.totalCount === 0)
})

test('after a server refused many requests, all use it when it is back', async () => {
  const url = new URL(await createTestDatabase())
  const line = await startCuttingProxy(Number(url.port))
  onTestFinished(() => line.close())
  const pool = poolOfOne(Object.assign(url, { port: line.port }).href)
  line.refuse()

  const refusals = await Promise.all(Array.from({ length: 50 }, () => pool.query('select 1').catch(({ name }) => name)))
  await line.pass()
  await waitFor('it is asked again', () => pool.query('select 1').catch(() => undefined))
  const answers = await Promise.all(Array.from({ length: 10 }, () => pool.query('select 2 as two')))

  expect(new Set(refusals)).toEqual(new Set(['StoreUnavailable']))
  expect(answers.map(({ rows }) => rows)).toEqual(Array(10).fill([{ two: 2 }]))
})

test('waiting for a busy connection times out, and the next query gets it', async () => {
  const pool = poolOfOne(await createTestDatabase())
  const held = await pool.connect()

  await expect(pool.query('select 1')).rejects.toThrow('timeout exceeded')
  held.release()

  expect((await pool.query('select 2 as two')).rows).toEqual([{ two: 2 }])
})
