import type { RateLimits } from '../../domain/ports/shared.ts'
import { expiringValues } from './expiring-values.ts'

type Window = { taken: number; endsAt: number }

export function memoryRateLimits(now: () => Date): RateLimits {
  const windows = expiringValues<Window>(now)
  const open = (key: string, seconds: number): Window => {
    const window = { taken: 0, endsAt: now().getTime() + seconds * 1_000 }
    windows.set(key, window, seconds)
    return window
  }
  return {
    async take({ name, max, windowSeconds }, who) {
      const key = `${name}:${who}`
      const window = windows.get(key) ?? open(key, windowSeconds)
      window.taken += 1
      if (window.taken <= max) return undefined
      return { retryAfterSeconds: Math.max(1, Math.ceil((window.endsAt - now().getTime()) / 1_000)) }
    },
  }
}
