import { describeError, type Log } from './log.ts'
import type { Metrics } from './metrics.ts'

/** Reports failures, since no caller waits for the result. */
export type LoopReports = {
  log: Log<'loop.failed' | 'loop.turned'>
  metrics: Pick<Metrics, 'loopFailures' | 'loopTurns'>
}

/** Never concurrently. Work that returns a positive count runs again at once. `name` labels its failures. */
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
    /** Runs at once, or once more after the current run. */
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

/** Pauses work that returned true: something could not be done, and an earlier run would fail at it again. */
export function resting(work: () => Promise<boolean>, restMs: number, now = Date.now): () => Promise<void> {
  let until = Number.NEGATIVE_INFINITY
  return async () => {
    if (now() < until) return
    if (await work()) until = now() + restMs
  }
}
