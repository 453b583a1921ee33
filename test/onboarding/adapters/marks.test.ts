import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryMarks } from '../../../src/onboarding/adapters/memory/marks.ts'
import { redisMarks } from '../../../src/onboarding/adapters/redis/marks.ts'
import type { Marks } from '../../../src/onboarding/domain/ports/shared.ts'
import { openTestRedis, type TestRedis } from '../../support/processes/stores.ts'

let redis: TestRedis
const stores: Record<string, () => Marks> = {
  Redis: () => redisMarks(redis.client),
  memory: () => memoryMarks(() => new Date()),
}

beforeAll(async () => {
  redis = await openTestRedis()
})
afterAll(() => redis.stop())

describe.each(Object.entries(stores))('marks in %s', (_name, open) => {
  test('keep the first value, and confirm it when the call is repeated', async () => {
    const marks = open()

    const claims = [
      await marks.claim('sent', 'link-1', 'attempt-1'),
      await marks.claim('sent', 'link-1', 'attempt-2'),
      await marks.claim('sent', 'link-1', 'attempt-1'),
    ]

    expect(claims).toEqual([true, false, true])
  })

  test('have one winner among concurrent claims', async () => {
    const marks = open()

    const claims = await Promise.all(
      Array.from({ length: 20 }, (_, n) => marks.claim('grant', 'link-2', `process-${n}`)),
    )

    expect(claims.filter(Boolean)).toHaveLength(1)
  })

  test('are released only by their own value', async () => {
    const marks = open()
    await marks.claim('sent', 'link-6', 'a')

    await marks.release('sent', 'link-6', 'b')
    const isKept = !(await marks.claim('sent', 'link-6', 'b'))
    await marks.release('sent', 'link-6', 'a')

    expect(isKept).toBe(true)
    expect(await marks.claim('sent', 'link-6', 'b')).toBe(true)
  })

  test('keep registers and subjects apart', async () => {
    const marks = open()
    await marks.claim('sent', 'link-3', 'a')

    expect(await marks.claim('grant', 'link-3', 'b')).toBe(true)
    expect(await marks.claim('sent', 'link-4', 'b')).toBe(true)
  })
})

test('marks in Redis expire', async () => {
  await redisMarks(redis.client).claim('sent', 'link-5', 'a')

  const keys = await redis.client.keys('onboarding:sent:{link-5}')

  expect(await redis.client.ttl(keys[0]!)).toBeGreaterThan(0)
})
