/**
 * Does a piece of work again and again, never twice at once, until stopped. Work that says it found something is
 * done again at once: a backlog must not wait for the clock.
 */
export function repeat(pauseMs: number, work: () => Promise<unknown>, onTrouble: (error: unknown) => void) {
  let timer: NodeJS.Timeout
  let current: Promise<void> = Promise.resolve()
  let stopped = false
  const schedule = (found?: unknown) => {
    if (!stopped) timer = setTimeout(run, typeof found === 'number' && found > 0 ? 0 : pauseMs)
  }
  const run = () => {
    current = work().catch(onTrouble).then(schedule)
  }
  schedule()
  return {
    async stop(): Promise<void> {
      stopped = true
      clearTimeout(timer)
      await current
    },
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
