import { setImmediate } from 'node:timers/promises'

/** Long work that may pause at each `yield`. */
export type Steps<T> = Generator<undefined, T, undefined>

export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Resolves after requests that wait were served. */
export const otherWork = () => setImmediate()

/** Requests that arrive during the work are served after each slice. */
export async function inSlices<T>(steps: Steps<T>, sliceMs = 5): Promise<T> {
  for (let since = performance.now(); ; ) {
    const step = steps.next()
    if (step.done) return step.value
    if (performance.now() - since < sliceMs) continue
    await otherWork()
    since = performance.now()
  }
}
