// How long a program took over an answer, on a machine that may be busy with a hundred other things.
//
// A promise like "answered within a second" is about the program's own waiting, and a test that asks the clock on the
// wall fails whenever the machine is short of breath. So time is told by a clock that runs as fast as the machine does:
// all the while one cheap request after the other goes to the same process, with a short pause in between; it takes
// the way that the timed ones take, but for what is broken. One such turn, at its quickest, is a tick. Where the
// machine has time, ticks and milliseconds are the same; where it has none, ticks come slower, for the program and
// for the test alike. A program that waits for a broken store waits in that one request alone, while the ticks go on.
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'

export type TimedAnswer<T> = { answer: T; ms: number }

const pauseMs = 50

/** Begins with a few turns on its own, to learn how long a tick is. */
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
    // Where nobody answers, nobody's answers are timed either.
    while (running) await turn().catch(() => {})
  })()

  return {
    /** Its answer, and how long that took by the machine's own clock, to the nearest tick. */
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
