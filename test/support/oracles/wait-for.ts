import { setTimeout as pause } from 'node:timers/promises'

export type Patience = { withinMs?: number; everyMs?: number }

/** Asks again and again until there is an answer; the sentence says what was waited for when there never is one. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 40_000, everyMs = 25 }: Patience = {},
): Promise<T> {
  for (const deadline = Date.now() + withinMs; ; ) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > deadline) throw new Error(`still not true after ${withinMs} ms: ${what}`)
    await pause(everyMs)
  }
}
