import { describeError, type Log } from './log.ts'

/** Work that may outlive its request. Errors are logged, and closing waits for it. */
type BackgroundWork = {
  keep<T>(work: Promise<T>): Promise<T>
  /** The program is about to end: work that retries gives up soon. */
  hurry(): void
  isHurried(): boolean
  /** Resolves when all work has ended, or at the deadline. */
  finish(deadlineMs: number): Promise<void>
}

export function backgroundWork(log: Log<'background.failed'>): BackgroundWork {
  const underWay = new Set<Promise<unknown>>()
  let hurried = false
  return {
    keep(work) {
      const watched = work
        .catch((error) => log('background.failed', { code: describeError(error) }))
        .finally(() => underWay.delete(watched))
      underWay.add(watched)
      return work
    },
    hurry() {
      hurried = true
    },
    isHurried: () => hurried,
    async finish(deadlineMs) {
      await within(Promise.all(underWay), deadlineMs)
    },
  }
}

/** Resolves to undefined after the timeout. The work itself is not cancelled. */
export function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
