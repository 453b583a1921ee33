export type BackoffLimits = { firstSeconds: number; maxSeconds: number }

/** Doubles with each failed try, up to the max. */
export const backoffSeconds = (tries: number, { firstSeconds, maxSeconds }: BackoffLimits): number =>
  Math.min(firstSeconds * 2 ** tries, maxSeconds)

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
