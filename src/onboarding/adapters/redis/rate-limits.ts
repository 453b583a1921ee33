import type { RedisClient } from '../../../kit/redis.ts'
import type { RateLimits } from '../../domain/ports.ts'
import { rateKey } from './keys.ts'
import { defineScript } from './script.ts'

// One round trip, and a counter never lives without its expiry.
const countScript = `
local count = redis.call('INCR', KEYS[1])
if count == 1 then redis.call('EXPIRE', KEYS[1], ARGV[1]) end
return {count, redis.call('TTL', KEYS[1])}
`

export function redisRateLimits(redis: RedisClient): RateLimits {
  const count = defineScript<[number, number]>(redis, 'countRequest', countScript)
  return {
    async take({ name, most, windowSeconds, uncounted }, who) {
      const [taken, secondsLeft] = await count(rateKey(name, who), String(windowSeconds)).catch((error) => {
        if (uncounted === 'refused') throw error
        return [0, 0]
      })
      return taken <= most ? undefined : { retryAfterSeconds: Math.max(1, secondsLeft) }
    },
  }
}
