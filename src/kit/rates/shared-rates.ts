import type { RedisClient } from '../database/redis.ts'
import { type LoopReports, repeat } from '../process/repeat.ts'
import type { RateLimit, RateWindow } from './rate-limit.ts'

// One round trip, and every counter expires.
const addScript = `
local total = redis.call('INCRBY', KEYS[1], ARGV[1])
redis.call('EXPIRE', KEYS[1], ARGV[2])
return total
`

export type SharedRate = { name: string; perSeconds: number; limit: RateLimit }

/** Adds up counts a few times a second, so no request waits. Without Redis, each process counts on its own. */
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
      window.unshared += sent // sent with the next exchange
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
