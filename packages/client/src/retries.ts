import { setTimeout as pause } from 'node:timers/promises'

export type RetrySettings = {
  /** Default: 4. */
  maxAttempts?: number | undefined
  /** No retry starts later than this. Default: 60 seconds, and 3 seconds for `connect`, where a user waits. */
  maxWaitMs?: number | undefined
}

/** Seconds or a date (RFC 9110, section 10.2.3). */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Exponential backoff with 50 % jitter. */
export const backoffMs = (attempt: number, random: number): number =>
  Math.min(250 * 2 ** attempt, 4_000) * (0.5 + random / 2)

export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  pause(ms, undefined, signal ? { signal } : {})
