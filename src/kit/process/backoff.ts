export type BackoffLimits = { firstSeconds: number; longestSeconds: number }

/** How long to wait after that many failed tries: twice as long each time, up to the longest. */
export const backoffSeconds = (tries: number, { firstSeconds, longestSeconds }: BackoffLimits): number =>
  Math.min(firstSeconds * 2 ** tries, longestSeconds)

export type RetryWait = {
  waitSeconds: number
  /** Which part of the wait may be added to it. */
  spread: number
  /** What the other side asked for, as by Retry-After, and up to where that is heeded. */
  askedSeconds: number | undefined
  longestAskedSeconds: number
}

/**
 * When to try again: never before the other side asked for. Chance (0 to 1) keeps many from trying in step, most of all
 * those that were asked to come back at the same moment.
 */
export function retryInSeconds(wait: RetryWait, chance: number): number {
  const { waitSeconds, spread, askedSeconds = 0, longestAskedSeconds } = wait
  const asked = Math.min(askedSeconds, longestAskedSeconds)
  return Math.max(waitSeconds * (1 + spread * chance), asked * (1 + 0.2 * chance))
}
