import { WaitError } from './errors.ts'
import { sleep } from './retries.ts'
import type { Pending } from './still-pending.ts'

export type WaitOptions = {
  /** Default: 60 seconds. */
  timeoutMs?: number | undefined
  signal?: AbortSignal | undefined
}

const firstPauseMs = 500
const maxPauseMs = 10_000

/** Polls with backoff. Throws WaitError after `timeoutMs`. */
export async function waitFor<T extends Pending>(
  read: () => Promise<T>,
  hasEnded: (value: T) => boolean,
  { timeoutMs = 60_000, signal }: WaitOptions,
): Promise<T> {
  const until = Date.now() + timeoutMs
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, maxPauseMs)) {
    const value = await read()
    if (hasEnded(value)) return value
    if (Date.now() + pauseMs > until) throw new WaitError(value)
    await sleep(pauseMs, signal)
  }
}
