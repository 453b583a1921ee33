import { expect, test } from 'vitest'
import { sharedLoad } from '../../src/kit/cache/shared-load.ts'

test('callers during a load share the next one', async () => {
  let value = 'old'
  const loads: string[] = []
  const load = sharedLoad(async (key) => {
    loads.push(key)
    const read = value
    await new Promise((resolve) => setImmediate(resolve))
    return read
  })

  const first = load('a')
  value = 'new'
  const crowd = await Promise.all(Array.from({ length: 50 }, () => load('a')))

  expect(await first).toBe('old')
  expect(new Set(crowd)).toEqual(new Set(['new']))
  expect(loads).toEqual(['a', 'a'])
})

test('a failed load fails its callers, and the next one runs', async () => {
  let attempts = 0
  const load = sharedLoad(async () => {
    if (attempts++ === 0) throw new Error('once')
    return 'fine'
  })

  const both = await Promise.allSettled([load('a'), load('a')])

  expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})
