// For what is kept for minutes: authorizations under way, console sessions and counts of requests.
import { answers, openRedis } from '../../kit/database/redis.ts'
import { assertNoEviction, awaitRedis } from '../../kit/database/redis-checks.ts'
import type { Log } from '../../kit/process/log.ts'
import type { Metrics } from '../../kit/process/metrics.ts'
import type { OnboardingEvent } from '../domain/log/log-events.ts'
import { memoryRateLimits } from './memory/rate-limits.ts'
import { redisRateLimits } from './redis/rate-limits.ts'

type Settings = { redisUrl: string; startWaitMs: number }
type Reports = { log: Log<OnboardingEvent>; metrics: Metrics }

export function redisCache({ redisUrl, startWaitMs }: Settings, reports: Reports, now: () => Date) {
  const redis = openRedis(redisUrl)
  const rates = redisRateLimits(redis, now, reports)
  return {
    redis,
    rates,
    answers: () => answers(redis),
    async prepare() {
      await awaitRedis(redis, startWaitMs)
      await assertNoEviction(redis, () => reports.log('redis.eviction_unknown'))
    },
    async close() {
      await rates.close()
      await redis.quit()
    },
  }
}

export const inProcessCache = (log: Log<'redis.absent'>, now: () => Date) => ({
  redis: undefined,
  rates: memoryRateLimits(now),
  answers: async () => true,
  prepare: async () => log('redis.absent'),
  close: async () => {},
})
