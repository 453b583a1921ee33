// Measures response times on a busy machine. A promise like "responds within a second" is about the program’s own
// waiting, so wall time would fail under load. Instead, cheap requests to the same process run in a loop; one fast turn
// is a tick. On an idle machine a tick is a millisecond. Under load, ticks slow down for the program and the test
// alike, while a program that waits for a broken store waits only in the measured request.
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

export type TimedAnswer<T> = { answer: T; ms: number }

const pauseMs = 50

/** Calibrates the tick first. */
export async function startStopwatch(cheap: () => Promise<unknown>) {
  let ticks = 0
  let quickestMs = Number.POSITIVE_INFINITY
  let running = true
  const turn = async () => {
    const since = performance.now()
    await pause(pauseMs)
    await cheap()
    quickestMs = Math.min(quickestMs, performance.now() - since)
    ticks++
  }
  while (ticks < 10) await turn()
  const turns = (async () => {
    while (running) await turn().catch(() => {})
  })()

  return {
    /** Returns the response and its duration in ticks. */
    async time<T>(ask: () => Promise<T>): Promise<TimedAnswer<T>> {
      const [ticksBefore, since] = [ticks, performance.now()]
      const answer = await ask()
      const passed = performance.now() - since
      return { answer, ms: Math.min(passed, (ticks - ticksBefore + 1) * quickestMs) }
    },
    async stop() {
      running = false
      await turns
    },
  }
}
