import { setTimeout as pause } from 'node:timers/promises'

type Patience = { withinMs?: number; everyMs?: number }

export async function waitFor<T>(
  what: string,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 60_000, everyMs }: Patience = {},
): Promise<T> {
  for (const startedAt = Date.now(); ; ) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    const waitedMs = Date.now() - startedAt
    if (waitedMs > withinMs) throw new Error(`still not true after ${withinMs} ms: ${what}`)
    await pause(everyMs ?? nextPause(waitedMs))
  }
}

/** Backs off, to leave the CPU to the awaited work. */
const nextPause = (waitedMs: number) => Math.min(Math.max(10, waitedMs / 10), 250)
