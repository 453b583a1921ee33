import { setTimeout as pause } from 'node:timers/promises'

export type RetrySettings = {
  /** How often a request is sent at most. 4 by default. */
  maxAttempts?: number | undefined
  /**
   * After this time a request is not sent once more, nor is a longer `Retry-After` waited for: the error says it. 60
   * seconds by default; 3 for `connect`, where a user waits.
   */
  maxWaitMs?: number | undefined
}

/** In seconds, or as a date (RFC 9110, section 10.2.3). Returns undefined if there is none. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

/** Half fixed and half chance, so that clients which failed together do not come back together. */
export const backoffMs = (attempt: number, chance: number): number =>
  Math.min(250 * 2 ** attempt, 4_000) * (0.5 + chance / 2)

export const sleep = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  pause(ms, undefined, signal ? { signal } : {})
