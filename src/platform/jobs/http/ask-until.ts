type Waiting = { longestMs: number; nowMs(): number; pause(ms: number): Promise<void> }

const pauseMs = { least: 200, most: 2_000 }

/**
 * Asks again and again, until the answer is yes or the time is over. The longer it takes, the less often: many may wait
 * at a time, and each question goes to the store that everybody uses.
 */
export async function askUntil(ask: () => Promise<boolean>, { longestMs, nowMs, pause }: Waiting): Promise<void> {
  const startedAt = nowMs()
  while (!(await ask())) {
    const waitedMs = nowMs() - startedAt
    if (waitedMs > longestMs) return
    await pause(Math.min(Math.max(pauseMs.least, waitedMs / 10), pauseMs.most))
  }
}
