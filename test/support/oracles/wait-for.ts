import { setTimeout as pause } from 'node:timers/promises'

export type Patience = { withinMs?: number; everyMs?: number }

/** Asks again and again until there is an answer; the sentence says what was waited for when there never is one. */
export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 40_000, everyMs }: Patience = {},
): Promise<T> {
  for (const startedAt = Date.now(); ; ) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    const waitedMs = Date.now() - startedAt
    if (waitedMs > withinMs) throw new Error(`still not true after ${withinMs} ms: ${what}`)
    await pause(everyMs ?? nextPause(waitedMs))
  }
}

/** A tenth longer than it takes anyway, so that those who wait for long leave the machine to what they wait for. */
const nextPause = (waitedMs: number) => Math.min(Math.max(10, waitedMs / 10), 250)
