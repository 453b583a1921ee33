import { setTimeout as pause } from 'node:timers/promises'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'

const maxPauseMs = 30_000

/** Repeats a watch that ends, after growing pauses. Resolves when the signal is aborted. */
export async function watchAgain(watch: () => Promise<unknown>, signal: AbortSignal): Promise<void> {
  for (let failures = 0; !signal.aborted; failures++) {
    const startedAt = Date.now()
    await watch().catch(ignoreError('the periodic list finds what is missed'))
    if (Date.now() - startedAt > maxPauseMs) failures = 0
    const waitMs = Math.min(500 * 2 ** failures, maxPauseMs)
    await pause(waitMs, undefined, { signal }).catch(ignoreError('the watch has ended'))
  }
}
