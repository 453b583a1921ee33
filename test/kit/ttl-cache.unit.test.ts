import { expect, test } from 'vitest'
import { ttlCache } from '../../src/kit/cache/ttl-cache.ts'
import { waitFor } from '../support/oracles/wait-for.ts'

/** Returns how often it was called. */
function countingSource() {
  const asked = new Map<string, number>()
  const load = async (key: string) => {
    asked.set(key, (asked.get(key) ?? 0) + 1)
    return `${key}${asked.get(key)}`
  }
  return { asked, load }
}

test('caches a result until its TTL', async () => {
  const { load } = countingSource()
  const long = ttlCache(load, { ttlMs: 60_000, capacity: 10 })
  const short = ttlCache(load, { ttlMs: 1, capacity: 10 })

  expect([await long.get('a'), await long.get('a')]).toEqual(['a1', 'a1'])
  await short.get('b')
  await waitFor('it is asked for again', async () => (await short.get('b')) !== 'b1')
})

test('concurrent callers share one load, also of a negative result', async () => {
  let loads = 0
  const cache = ttlCache(
    async () => {
      loads++
      return undefined
    },
    { ttlMs: 60_000, capacity: 10 },
  )

  const answers = await Promise.all([cache.get('a'), cache.get('a')])

  expect([...answers, await cache.get('a'), loads]).toEqual([undefined, undefined, undefined, 1])
})

test('a failed load is not cached, and does not drop a newer one', async () => {
  const { asked, load } = countingSource()
  let fail = () => {}
  const failing = new Promise<string>((_resolve, reject) => {
    fail = () => reject(new Error('away'))
  })
  let tries = 0
  const cache = ttlCache((key) => (tries++ === 0 ? failing : load(key)), { ttlMs: 60_000, capacity: 10 })

  const first = cache.get('a')
  const newer = await cache.refresh('a')
  fail()
  await expect(first).rejects.toThrow('away')

  expect([newer, await cache.get('a')]).toEqual(['a1', 'a1'])
  expect(asked.get('a')).toBe(1)
})

test('after a failed load the next caller loads again', async () => {
  let tries = 0
  const load = async () => {
    if (tries++ === 0) throw new Error('away')
    return 'there'
  }
  const cache = ttlCache(load, { ttlMs: 60_000, capacity: 10 })

  await expect(cache.get('a')).rejects.toThrow('away')

  expect(await cache.get('a')).toBe('there')
})

test('evicts the least recently used key', async () => {
  const { load } = countingSource()
  const cache = ttlCache(load, { ttlMs: 60_000, capacity: 2 })

  for (const key of ['a', 'b', 'a', 'c']) await cache.get(key)

  expect([await cache.get('a'), await cache.get('b')]).toEqual(['a1', 'b2'])
})

test('forgotten or cleared keys are loaded again, also during a load', async () => {
  const { load } = countingSource()
  const cache = ttlCache(load, { ttlMs: 60_000, capacity: 10 })

  const loading = cache.get('a')
  cache.clear()
  await loading
  const second = await cache.get('a')
  cache.forget('a')

  expect([second, await cache.get('a')]).toEqual(['a2', 'a3'])
})
