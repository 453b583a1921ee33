import { LRUCache } from 'lru-cache'

export type TtlCacheOptions = { ttlMs: number; capacity: number }

export type TtlCache<T> = ReturnType<typeof ttlCache<T>>

/**
 * Remembers answers, also the negative ones, for a moment; concurrent callers share one load. A failed load is
 * forgotten at once. When full, what was not asked for the longest makes room, so a flood of keys costs no memory.
 */
export function ttlCache<T>(load: (key: string) => Promise<T>, { ttlMs, capacity }: TtlCacheOptions) {
  // The clock is read at every look: the library would otherwise keep a timer to remember the time for a millisecond.
  const entries = new LRUCache<string, Promise<T>>({ ...atMost(capacity), ttl: ttlMs, ttlResolution: 0 })
  const refresh = (key: string): Promise<T> => {
    const value = load(key)
    entries.set(key, value)
    value.catch(() => entries.peek(key) === value && entries.delete(key))
    return value
  }
  return {
    get: (key: string): Promise<T> => entries.get(key) ?? refresh(key),
    /** Loads again, whatever is remembered. */
    refresh,
    forget: (key: string): void => void entries.delete(key),
    /** Also what is being loaded right now is not remembered. */
    clear: (): void => entries.clear(),
  }
}

/**
 * How many entries an LRU cache may have. By its own setting for this (`max`) the library takes room for all of them
 * at once: some ten milliseconds and megabytes for every start of a program, most of which is never filled.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
