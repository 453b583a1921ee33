import { LRUCache } from 'lru-cache'
import { atMost } from '../../../kit/cache/ttl-cache.ts'

/** Values with an end, in this process alone. */
export type ExpiringValues<T> = { get(key: string): T | undefined; set(key: string, value: T, seconds: number): void }

/** More than a demo ever has; a flood pushes out what was not used the longest. */
const capacity = 100_000

export function expiringValues<T extends NonNullable<unknown>>(now: () => Date): ExpiringValues<T> {
  const values = new LRUCache<string, T>({
    ...atMost(capacity),
    perf: { now: () => now().getTime() },
    ttlResolution: 0,
  })
  return {
    get: (key) => values.get(key),
    set(key, value, seconds) {
      // To the library a value without a time to live lives for ever; here it has ended.
      if (seconds > 0) values.set(key, value, { ttl: seconds * 1_000 })
      else values.delete(key)
    },
  }
}
