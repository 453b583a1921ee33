// For short-lived state: pending authorizations, console sessions and request counts.
import { assertNoEviction, awaitRedis, openRedis } from '../../kit/database/redis.ts'
import { redisProbe, type StoreState } from '../../kit/database/store-probes.ts'
import type { Log } from '../../kit/process/log.ts'
import type { Metrics } from '../../kit/process/metrics.ts'
import type { OnboardingEvent } from '../domain/reports/log-events.ts'
import { memoryClientVerdicts } from './memory/client-verdicts.ts'
import { memoryMarks } from './memory/marks.ts'
import { memoryRateLimits } from './memory/rate-limits.ts'
import { redisClientVerdicts } from './redis/client-verdicts.ts'
import { redisMarks } from './redis/marks.ts'
import { redisRateLimits } from './redis/rate-limits.ts'

type Settings = { redisUrl: string; startWaitMs: number }
type Reports = { log: Log<OnboardingEvent>; metrics: Metrics }

export function redisCache({ redisUrl, startWaitMs }: Settings, reports: Reports, now: () => Date) {
  const redis = openRedis(redisUrl)
  const rates = redisRateLimits(redis, now, reports)
  return {
    redis,
    rates,
    marks: redisMarks(redis),
    clientVerdicts: redisClientVerdicts(redis),
    probe: redisProbe(redis),
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
  marks: memoryMarks(now),
  clientVerdicts: memoryClientVerdicts(now),
  probe: async (): Promise<StoreState> => 'ready',
  prepare: async () => log('redis.absent'),
  close: async () => {},
})
