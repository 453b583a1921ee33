export type BriefCacheOptions = { ttlMs: number; capacity: number }

/**
 * Remembers answers, also the negative ones, for a moment; concurrent askers share one load.
 * A failed load is forgotten at once. When full, the oldest answer makes room, so a flood of keys costs no memory.
 */
export function briefCache<T>(load: (key: string) => Promise<T>, { ttlMs, capacity }: BriefCacheOptions) {
  const entries = new Map<string, { value: Promise<T>; staleAt: number }>()
  const loadNow = (key: string): Promise<T> => {
    entries.delete(key)
    if (entries.size >= capacity) entries.delete(entries.keys().next().value as string)
    const entry = { value: load(key), staleAt: performance.now() + ttlMs }
    entries.set(key, entry)
    entry.value.catch(() => entries.get(key) === entry && entries.delete(key))
    return entry.value
  }
  return {
    get(key: string): Promise<T> {
      const known = entries.get(key)
      return known && known.staleAt > performance.now() ? known.value : loadNow(key)
    },
    /** Asks again, whatever is remembered. */
    refresh: loadNow,
    forget(key: string): void {
      entries.delete(key)
    },
    /** Also what is being loaded right now is not remembered. */
    clear(): void {
      entries.clear()
    },
  }
}
