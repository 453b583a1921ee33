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
