import type { RedisClient } from '../database/redis.ts'
import { type LoopReports, repeat } from '../process/repeat.ts'
import type { RateLimit, RateWindow } from './rate-limit.ts'

// One round trip, and a counter never lives without its expiry.
const addScript = `
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return total
`

export type SharedRate = { name: string; perSeconds: number; limit: RateLimit }

/**
 * Adds up what processes count, a few times a second: no request waits for it, and what a caller can gain is what the
 * others let through in between. While Redis is away each process goes on with what it knows.
 */
export function shareRates(
  redis: RedisClient,
  shared: readonly SharedRate[],
  reports: LoopReports,
  everyMs = 250,
): { close(): Promise<void> } {
  const add = async (key: string, window: RateWindow, ttlSeconds: number) => {
    const sent = window.unshared
    window.unshared = 0
    try {
      const total = Number(await redis.eval(addScript, 1, key, sent, ttlSeconds))
      window.used = Math.max(window.used, total + window.unshared)
    } catch (error) {
      window.unshared += sent // counted here already; told with the next ones
      throw error
    }
  }
  const exchange = async () => {
    const news = shared.flatMap(({ name, perSeconds, limit }) =>
      [...limit.news()].map(([key, window]) => add(`rate:${name}:${key}:${window.number}`, window, perSeconds * 2)),
    )
    const failed = (await Promise.allSettled(news)).find(({ status }) => status === 'rejected')
    if (failed?.status === 'rejected') throw failed.reason
  }
  const loop = repeat('share-rates', everyMs, exchange, reports)
  return { close: loop.stop }
}
