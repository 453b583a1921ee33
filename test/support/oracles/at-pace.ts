import { setTimeout as pause } from 'node:timers/promises'

type Pace = {
  perSecond: number
  /** Called before each request with the number sent so far. */
  goesOn(sent: number): boolean
}

const maxLate = 10

/**
 * Open-loop load: sends at a fixed rate regardless of responses. After a pause of the machine, missed requests are not
 * sent in a burst.
 */
export async function atPace<T>({ perSecond, goesOn }: Pace, ask: (nth: number) => Promise<T>): Promise<T[]> {
  let since = Date.now()
  const asked: Array<Promise<T>> = []
  while (goesOn(asked.length)) {
    since = Math.max(since, Date.now() - ((asked.length + maxLate) / perSecond) * 1_000)
    const due = Math.ceil(((Date.now() - since) / 1_000) * perSecond)
    while (asked.length < due && goesOn(asked.length)) {
      const asking = ask(asked.length)
      asking.catch(() => {}) // awaited at the end
      asked.push(asking)
    }
    await pause(1_000 / perSecond)
  }
  return Promise.all(asked)
}
