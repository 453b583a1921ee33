export type BackoffLimits = { firstSeconds: number; maxSeconds: number }

/** Doubles with each failed try, up to the max. */
export const backoffSeconds = (tries: number, { firstSeconds, maxSeconds }: BackoffLimits): number =>
  Math.min(firstSeconds * 2 ** tries, maxSeconds)

/** The pause before the next question to the database: a tenth of what was waited, within limits. */
export const pollPauseMs = (waitedMs: number): number => Math.min(Math.max(200, waitedMs / 10), 2_000)

type RetryWait = {
  waitSeconds: number
  /** The max share of the wait that is added at random. */
  spread: number
  /** From Retry-After, and its max. */
  askedSeconds: number | undefined
  maxAskedSeconds: number
}

/** Never earlier than the other side asked for. `chance` (0 to 1) adds jitter. */
export function retryInSeconds(wait: RetryWait, chance: number): number {
  const { waitSeconds, spread, askedSeconds = 0, maxAskedSeconds } = wait
  const asked = Math.min(askedSeconds, maxAskedSeconds)
  return Math.max(waitSeconds * (1 + spread * chance), asked * (1 + 0.2 * chance))
}
