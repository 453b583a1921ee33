import { describeError, type Log } from './log.ts'
import { stallProofTimeout } from './stall-proof-timeout.ts'

/** Work that may outlive the request that began it. Closing waits for it; its errors are logged, not lost. */
export type BackgroundWork = {
  keep<T>(work: Promise<T>): Promise<T>
  /** Resolves when nothing is under way, or after the deadline. */
  finish(deadlineMs: number): Promise<void>
}

export function backgroundWork(log: Log<'background.failed'>): BackgroundWork {
  const underWay = new Set<Promise<unknown>>()
  return {
    keep(work) {
      const watched = work
        .catch((error) => log('background.failed', { code: describeError(error) }))
        .finally(() => underWay.delete(watched))
      underWay.add(watched)
      return work
    },
    async finish(deadlineMs) {
      await within(Promise.all(underWay), deadlineMs)
    },
  }
}

/** The result when it comes in time, else nothing; the work itself goes on. */
export function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let clear = () => {}
  const late = new Promise<undefined>((resolve) => {
    clear = stallProofTimeout(ms, () => resolve(undefined))
  })
  return Promise.race([work, late]).finally(clear)
}
