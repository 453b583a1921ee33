import { LRUCache } from 'lru-cache'

type TtlCacheOptions = { ttlMs: number; capacity: number }

export type TtlCache<T> = ReturnType<typeof ttlCache<T>>

/** Caches negative results too, but no failures. Concurrent callers share one load. */
export function ttlCache<T>(load: (key: string) => Promise<T>, { ttlMs, capacity }: TtlCacheOptions) {
  // Otherwise the library keeps a timer to cache the clock.
  const entries = new LRUCache<string, Promise<T>>({ ...maxEntries(capacity), ttl: ttlMs, ttlResolution: 0 })
  const refresh = (key: string): Promise<T> => {
    const value = load(key)
    entries.set(key, value)
    value.catch(() => entries.peek(key) === value && entries.delete(key))
    return value
  }
  return {
    get: (key: string): Promise<T> => entries.get(key) ?? refresh(key),
    refresh,
    forget: (key: string): void => void entries.delete(key),
    /** Also drops loads in progress. */
    clear: (): void => entries.clear(),
  }
}

/** Limits an LRU cache without its `max`, which preallocates all entries: tens of milliseconds and megabytes at start. */
export const maxEntries = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
