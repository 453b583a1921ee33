import type { RedisClient } from '../../../kit/database/redis.ts'
import type { LoopReports } from '../../../kit/process/repeat.ts'
import { type RateLimit, rateLimit } from '../../../kit/rates/rate-limit.ts'
import { type SharedRate, shareRates } from '../../../kit/rates/shared-rates.ts'
import type { RateLimits } from '../../domain/ports/shared.ts'
import type { RateRule } from '../../domain/rate-limit.ts'
import { rateKey, sharedRateName } from './keys.ts'
import { defineScript } from './script.ts'

// A script, so that the counter always has an expiry.
const countScript = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('TTL', KEYS[1])}
`

export function redisRateLimits(
  redis: RedisClient,
  now: () => Date,
  reports: LoopReports,
): RateLimits & { close(): Promise<void> } {
  const count = defineScript<[number, number]>(redis, 'countRequest', countScript)
  const nearly = nearCounts(redis, now, reports)

  const exactly = async ({ name, max, windowSeconds, uncounted }: RateRule, who: string) => {
    const [taken, secondsLeft] = await count(rateKey(name, who), String(windowSeconds)).catch((error) => {
      if (uncounted === 'refused') throw error
      return [0, 0]
    })
    return taken <= max ? undefined : { retryAfterSeconds: Math.max(1, secondsLeft) }
  }

  return {
    take: async (rule, who) => (rule.counted === 'nearly' ? nearly.take(rule, who) : exactly(rule, who)),
    close: nearly.close,
  }
}

/** Counts locally and shares the counts through Redis. Without Redis, each process uses its own counts. */
function nearCounts(redis: RedisClient, now: () => Date, reports: LoopReports) {
  const limits = new Map<string, RateLimit>()
  const shared: SharedRate[] = []
  const { close } = shareRates(redis, shared, reports)

  const open = ({ name, max, windowSeconds }: RateRule): RateLimit => {
    const limit = rateLimit({ count: max, perSeconds: windowSeconds, now })
    limits.set(name, limit)
    shared.push({ name: sharedRateName(name), perSeconds: windowSeconds, limit })
    return limit
  }
  const take = (rule: RateRule, who: string) => {
    const retryAfterSeconds = (limits.get(rule.name) ?? open(rule)).take(who)
    return retryAfterSeconds === undefined ? undefined : { retryAfterSeconds }
  }
  return { take, close }
}
