/** Does a piece of work again and again with a pause between, never twice at once, until stopped. */
export function repeat(pauseMs: number, work: () => Promise<unknown>, onTrouble: (error: unknown) => void) {
  let timer: NodeJS.Timeout
  let current: Promise<void> = Promise.resolve()
  let stopped = false
  const schedule = () => {
    if (!stopped) timer = setTimeout(run, pauseMs)
  }
  const run = () => {
    current = work()
      .then(() => {}, onTrouble)
      .finally(schedule)
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
