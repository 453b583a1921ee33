import { type RateLimit, rateLimit } from '../../../kit/rates/rate-limit.ts'

/** Per process. Returns the seconds to wait, if the limit is reached. */
export function callLimits(now: () => Date) {
  const limits = new Map<number, RateLimit>()
  return (key: string, perMinute: number) => {
    const limit = limits.get(perMinute) ?? rateLimit({ count: perMinute, perSeconds: 60, now })
    limits.set(perMinute, limit)
    return limit.take(key)
  }
}
