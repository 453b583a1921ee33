import { expect, test } from 'vitest'
import { type RateLimit, rateLimit } from '../../src/kit/rates/rate-limit.ts'
import { shareRates } from '../../src/kit/rates/shared-rates.ts'
import { loopReports } from '../support/doubles/loop-reports.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { openTestRedis } from '../support/processes/stores.ts'

let clock = new Date('2026-01-01T00:00:10Z')
const now = () => clock
const limitOf = (count: number, capacity?: number) =>
  rateLimit({ count, perSeconds: 60, now, ...(capacity && { capacity }) })
const takes = (limit: RateLimit, key: string, times: number) => Array.from({ length: times }, () => limit.take(key))

test('above the limit, returns the rest of the window', () => {
  expect(takes(limitOf(2), 'a', 4)).toEqual([undefined, undefined, 50, 50])
})

test('counts each key and window separately', () => {
  const limit = limitOf(1)
  takes(limit, 'a', 2)

  const other = limit.take('b')
  clock = new Date(clock.getTime() + 60_000)

  expect([other, limit.take('a')]).toEqual([undefined, undefined])
})

test('S12: release undoes a take of the same window only', () => {
  const limit = limitOf(1)
  limit.take('a')
  limit.release('a')
  const again = limit.take('a')
  clock = new Date(clock.getTime() + 60_000)
  limit.release('a')

  expect([again, ...takes(limit, 'a', 2)]).toEqual([undefined, undefined, expect.any(Number)])
})

test('exceeded() does not count', () => {
  const limit = limitOf(1)

  expect([limit.exceeded('a'), limit.exceeded('a'), limit.take('a'), limit.exceeded('a')]).toEqual([
    undefined,
    undefined,
    undefined,
    50,
  ])
})

test('keeps no more keys than the capacity', () => {
  const limit = limitOf(1, 10)
  for (let at = 0; at < 1_000; at++) limit.take(`flood-${at}`)

  expect(limit.news().length).toBeLessThanOrEqual(10)
})

test('an evicted key leaves nothing behind', () => {
  const limit = limitOf(1, 2)

  for (const key of ['a', 'b', 'c', 'a']) limit.take(key)

  // In the order of first use: "a" would be first if it was not evicted.
  expect(limit.news().map(([key]) => key)).toEqual(['c', 'a'])
})

test('processes with one Redis share counts, and count on their own without it', async () => {
  const redis = await openTestRedis()
  const [one, two] = [limitOf(10), limitOf(10)]
  const reports = loopReports()
  const shares = [one, two].map((limit) =>
    shareRates(redis.client, [{ name: 'r', perSeconds: 60, limit }], reports, 10),
  )

  takes(one, 'a', 6)
  takes(two, 'a', 6)
  await waitFor('both know of all twelve', () => {
    one.take('b')
    takes(one, 'a', 1)
    takes(two, 'a', 1)
    return one.exceeded('a') !== undefined && two.exceeded('a') !== undefined
  })
  const lives = await redis.client.keys('rate:*').then((keys) => Promise.all(keys.map((key) => redis.client.ttl(key))))
  await redis.stop()
  const alone = takes(two, 'c', 11)
  await waitFor('the outage is reported', () => reports.lines.length > 0)
  await Promise.all(shares.map((share) => share.close()))

  expect(lives.length).toBeGreaterThan(0)
  expect(lives.every((seconds) => seconds > 0 && seconds <= 120)).toBe(true)
  expect(alone).toEqual([...Array(10).fill(undefined), 50])
  expect(reports.lines[0]?.fields).toMatchObject({ loop: 'share-rates' })
})
