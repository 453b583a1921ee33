import { percentiles } from './percentiles.ts'

/** Alternates calls, so that other load on the machine affects all equally. The first five warm up. */
export async function inTurns(rounds: number, calls: ReadonlyArray<() => Promise<unknown>>) {
  const times = calls.map(() => [] as number[])
  for (let round = -5; round < rounds; round++) {
    for (const [at, call] of calls.entries()) {
      const startedAt = performance.now()
      await call()
      if (round >= 0) times[at]?.push(performance.now() - startedAt)
    }
  }
  return times.map(percentiles)
}
