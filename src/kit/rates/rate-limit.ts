export type RateLimit = {
  readonly count: number
  readonly perSeconds: number
  /** Counts one. Returns the seconds to wait if the limit is exceeded. */
  take(key: string): number | undefined
  /** Undoes one `take`. */
  release(key: string): void
  /** Like `take`, without counting. */
  exceeded(key: string): number | undefined
  /** Windows counted since the last call. */
  news(): Array<[key: string, window: RateWindow]>
}

/** Windows are aligned to the clock, so that processes can add up their counts. */
export type RateWindow = { number: number; used: number; unshared: number }

type RateOptions = { count: number; perSeconds: number; capacity?: number; now: () => Date }

/** Counts per key and window in this process. The oldest keys are evicted, so the caller must not choose keys freely. */
export function rateLimit({ count, perSeconds, capacity = 100_000, now }: RateOptions): RateLimit {
  const windows = new Map<string, RateWindow>()
  const fresh = new Set<string>()
  // Also forgets a key that `news` has not reported: a caller may never call it.
  const forget = (key: string) => {
    windows.delete(key)
    fresh.delete(key)
  }
  const seconds = () => now().getTime() / 1_000
  const current = (key: string, number: number): RateWindow => {
    const known = windows.get(key)
    if (known?.number === number) return known
    windows.delete(key)
    if (windows.size >= capacity) forget(windows.keys().next().value as string)
    const window = { number, used: 0, unshared: 0 }
    windows.set(key, window)
    return window
  }
  const wait = (used: number) => (used <= count ? undefined : Math.ceil(perSeconds - (seconds() % perSeconds)))
  return {
    count,
    perSeconds,
    take(key) {
      const window = current(key, Math.floor(seconds() / perSeconds))
      window.used += 1
      window.unshared += 1
      fresh.add(key)
      return wait(window.used)
    },
    release(key) {
      const window = windows.get(key)
      // The window is over.
      if (window?.number !== Math.floor(seconds() / perSeconds) || window.used === 0) return
      window.used -= 1
      window.unshared -= 1
      fresh.add(key)
    },
    exceeded: (key) => wait(current(key, Math.floor(seconds() / perSeconds)).used + 1),
    news() {
      const keys = [...fresh]
      fresh.clear()
      return keys.flatMap((key): Array<[string, RateWindow]> => {
        const window = windows.get(key)
        return window && window.unshared !== 0 ? [[key, window]] : []
      })
    },
  }
}
