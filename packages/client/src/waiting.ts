import { WaitError } from './errors.ts'
import { sleep } from './retries.ts'
import type { Pending } from './still-pending.ts'

export type WaitOptions = {
  /** How long to wait at most. A minute by default. */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
}

const firstPauseMs = 500
const longestPauseMs = 10_000

/** Reads something until it has ended, ever less often. Throws WaitError if it is still under way in the end. */
export async function waitFor<T extends Pending>(
  read: () => Promise<T>,
  hasEnded: (value: T) => boolean,
  { timeoutMs = 60_000, signal }: WaitOptions,
): Promise<T> {
  const until = Date.now() + timeoutMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
    const value = await read()
    if (hasEnded(value)) return value
    if (Date.now() + pauseMs > until) throw new WaitError(value)
    await sleep(pauseMs, signal)
  }
}
