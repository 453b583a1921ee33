// One set of promises for whatever counts requests.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryRateLimits } from '../../../src/onboarding/adapters/memory/rate-limits.ts'
import { redisRateLimits } from '../../../src/onboarding/adapters/redis/rate-limits.ts'
import type { RateLimits } from '../../../src/onboarding/domain/ports/shared.ts'
import type { RateRule } from '../../../src/onboarding/domain/rate-limit.ts'
import { loopReports } from '../../support/doubles/loop-reports.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { openTestRedis, type TestRedis } from '../../support/processes/stores.ts'

let redis: TestRedis
const stores: Record<string, () => RateLimits> = {
  Redis: () => redisRateLimits(redis.client, () => new Date(), loopReports()),
  memory: () => memoryRateLimits(() => new Date()),
}

beforeAll(async () => {
  redis = await openTestRedis()
})
afterAll(() => redis.stop())

const rule: RateRule = { name: 'mint', max: 2, windowSeconds: 3_600, uncounted: 'refused' }

let visitors = 0
const newVisitor = () => `visitor-${visitors++}`

describe.each(Object.entries(stores))('requests counted in %s', (_name, open) => {
  test('are allowed up to the limit, then rejected with a retry time', async () => {
    const [rates, who] = [open(), newVisitor()]

    const answers = [await rates.take(rule, who), await rates.take(rule, who), await rates.take(rule, who)]

    expect(answers).toEqual([undefined, undefined, { retryAfterSeconds: expect.any(Number) }])
    expect(answers[2]?.retryAfterSeconds).toBeGreaterThan(3_500)
    expect(answers[2]?.retryAfterSeconds).toBeLessThanOrEqual(3_600)
  })

  test('are counted separately for each visitor and rule', async () => {
    const [rates, who] = [open(), newVisitor()]
    const strict = { ...rule, max: 1 }
    await rates.take(strict, who)

    const answers = [
      await rates.take(strict, who),
      await rates.take(strict, newVisitor()),
      await rates.take({ ...strict, name: 'browser' }, who),
    ]

    expect(answers.map(Boolean)).toEqual([true, false, false])
  })

  test('start again when the window ends', async () => {
    const [rates, who] = [open(), newVisitor()]
    const brief = { ...rule, max: 1, windowSeconds: 0 }

    const answers = [await rates.take(brief, who), await rates.take(brief, who)]

    expect(answers).toEqual([undefined, undefined])
  })
})

describe('approximately counted requests', () => {
  const near: RateRule = { name: 'near', max: 3, windowSeconds: 60, uncounted: 'allowed', counted: 'nearly' }
  const fixed = () => new Date('2026-01-01T00:00:10Z')

  test('are rejected by the process that counted too many, without Redis', async () => {
    const gone = await openTestRedis()
    const rates = redisRateLimits(gone.client, fixed, loopReports())
    await gone.stop()

    const answers = []
    for (const who of ['a', 'a', 'a', 'a', 'b']) answers.push(await rates.take(near, who))
    await rates.close()

    expect(answers).toEqual([undefined, undefined, undefined, { retryAfterSeconds: 50 }, undefined])
  })

  test('are rejected by other processes once they have received the counts', async () => {
    const [one, two] = [
      redisRateLimits(redis.client, fixed, loopReports()),
      redisRateLimits(redis.client, fixed, loopReports()),
    ]
    const [rule, who] = [{ ...near, max: 1_000 }, newVisitor()]
    for (let count = 0; count < rule.max; count++) await one.take(rule, who)

    let own = 0
    await waitFor('the second refuses', async () => {
      own++
      return (await two.take(rule, who)) !== undefined
    })

    expect(own).toBeLessThan(rule.max / 2)
    await one.close()
    await two.close()
  })
})
