import { setTimeout as pause } from 'node:timers/promises'

export type Pace = {
  perSecond: number
  /** Asked before each one, with how many have been sent. */
  goesOn(sent: number): boolean
}

const mostLate = 10

/**
 * So many a second, whether the ones before are answered or not. What a machine that stood still has kept back is not
 * sent all at once: that would be another load.
 */
export async function atPace<T>({ perSecond, goesOn }: Pace, ask: (nth: number) => Promise<T>): Promise<T[]> {
  let since = Date.now()
  const asked: Array<Promise<T>> = []
  while (goesOn(asked.length)) {
    since = Math.max(since, Date.now() - ((asked.length + mostLate) / perSecond) * 1_000)
    const due = Math.ceil(((Date.now() - since) / 1_000) * perSecond)
    while (asked.length < due && goesOn(asked.length)) asked.push(ask(asked.length))
    await pause(1_000 / perSecond)
  }
  return Promise.all(asked)
}
