import { describeError, type Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** Where a loop tells that it failed: nobody waits for its result, so nobody else would hear of it. */
export type LoopReports = {
  log: Log<'loop.failed' | 'loop.turned'>
  metrics: Pick<Metrics, 'loopFailures' | 'loopTurns'>
}

/**
 * Does a piece of work again and again, never twice at once, until stopped. Work that says it found something is
 * done again at once: a backlog must not wait for the clock. The name is the label of its failures.
 */
export function repeat(name: string, everyMs: number, work: () => Promise<unknown>, reports: LoopReports) {
  let timer: NodeJS.Timeout
  let current: Promise<void> = Promise.resolve()
  let stopped = false
  const schedule = (found?: unknown) => {
    if (!stopped) timer = setTimeout(run, typeof found === 'number' && found > 0 ? 0 : everyMs)
  }
  let isRunning = false
  let again = false
  const run = () => {
    isRunning = true
    current = attempt(name, work, reports).then((found) => {
      isRunning = false
      if (!again || stopped) return schedule(found)
      again = false
      run()
    })
  }
  schedule()
  return {
    /** Out of turn, because there is something to do; asked for during a turn, it is done once more after it. */
    soon(): void {
      if (stopped) return
      again = isRunning
      if (isRunning) return
      clearTimeout(timer)
      run()
    },
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
    },
  }
}

/** One turn of a loop, also where it is done out of turn: a failure is reported and left to the next turn. */
export async function attempt<T>(name: string, work: () => Promise<T>, reports: LoopReports): Promise<T | undefined> {
  try {
    const found = await work()
    reports.metrics.loopTurns.setToCurrentTime({ loop: name })
    if (typeof found === 'number' && found > 0) reports.log('loop.turned', { loop: name, count: found })
    return found
  } catch (error) {
    reports.log('loop.failed', { loop: name, code: describeError(error) })
    reports.metrics.loopFailures.inc({ loop: name })
    return undefined
  }
}

/** The same work, left out for a while after it said that something stays undone: looking sooner would not change it. */
export function resting(work: () => Promise<boolean>, restMs: number, now = Date.now): () => Promise<void> {
  let until = Number.NEGATIVE_INFINITY
  return async () => {
    if (now() < until) return
    if (await work()) until = now() + restMs
  }
}
