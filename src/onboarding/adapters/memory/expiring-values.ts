import { LRUCache } from 'lru-cache'
import { maxEntries } from '../../../kit/cache/ttl-cache.ts'

type ExpiringValues<T> = {
  get(key: string): T | undefined
  set(key: string, value: T, seconds: number): void
  forget(key: string): void
  /** Reads and forgets it. */
  take(key: string): T | undefined
}

export function expiringValues<T extends NonNullable<unknown>>(now: () => Date, capacity = 100_000): ExpiringValues<T> {
  const values = new LRUCache<string, T>({
    ...maxEntries(capacity),
    perf: { now: () => now().getTime() },
    ttlResolution: 0,
  })
  return {
    get: (key) => values.get(key),
    set(key, value, seconds) {
      // The library never expires values with a TTL of 0.
      if (seconds > 0) values.set(key, value, { ttl: seconds * 1_000 })
      else values.delete(key)
    },
    forget: (key) => void values.delete(key),
    take(key) {
      const value = values.get(key)
      values.delete(key)
      return value
    },
  }
}
