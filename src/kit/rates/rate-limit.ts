export type RateLimit = {
  /** How many are taken within how many seconds. */
  readonly count: number
  readonly perSeconds: number
  /** Counts one. The seconds to wait when there were too many. */
  take(key: string): number | undefined
  /** Counts one less, for what turned out not to be meant. */
  release(key: string): void
  /** The same as `take` without counting. */
  exceeded(key: string): number | undefined
  /** What was counted since the last call, by key. */
  news(): Array<[key: string, window: RateWindow]>
}

/** Windows begin at the same moments everywhere, so that processes can add up what they counted. */
export type RateWindow = { number: number; used: number; unshared: number }

export type RateOptions = { count: number; perSeconds: number; capacity?: number; now: () => Date }

/**
 * So many a window, for each key, in this process. The map is bounded: a flood of keys pushes the oldest out,
 * so the key must be something that the caller does not choose freely.
 */
export function rateLimit({ count, perSeconds, capacity = 100_000, now }: RateOptions): RateLimit {
  const windows = new Map<string, RateWindow>()
  const fresh = new Set<string>()
  // Nobody may ever ask for the news, so what is fresh goes with its window.
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
      // Of a window that is over, nothing counts any more.
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
