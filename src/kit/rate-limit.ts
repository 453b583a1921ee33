export type RateLimit = { allows(key: string): boolean; retryAfterSeconds: number }

type Options = { count: number; perSeconds: number; capacity: number; now: () => number }

/**
 * So many a window, for each key, in this process. The map is bounded: a flood of keys pushes the oldest out,
 * so the key must be something that the caller does not choose freely.
 */
export function rateLimit({ count, perSeconds, capacity, now }: Options): RateLimit {
  const windows = new Map<string, { used: number; endsAt: number }>()
  return {
    retryAfterSeconds: perSeconds,
    allows(key) {
      const known = windows.get(key)
      const window = known && known.endsAt > now() ? known : { used: 0, endsAt: now() + perSeconds * 1000 }
      windows.delete(key)
      if (windows.size >= capacity) windows.delete(windows.keys().next().value as string)
      windows.set(key, window)
      window.used += 1
      return window.used <= count
    },
  }
}
