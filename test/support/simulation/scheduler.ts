// Decides which waiting call goes on. All chance comes from the seed, so a seed repeats its schedule exactly.
import { setImmediate as untilQuiet } from 'node:timers/promises'
import type { steppedClock } from '../memory/clock.ts'

/** The process whose call waits. Calls of a dead process never return. */
export type Owner = { name: string; isAlive: boolean }

type Turn = { owner: Owner; call: string; at: number; isSlow: boolean; go: () => void }

export type Scheduler = ReturnType<typeof openScheduler>

const maxTurns = 6_000

export function openScheduler(seed: number, clock: ReturnType<typeof steppedClock>) {
  const random = randomFrom(seed)
  const trace: string[] = []
  let turns: Turn[] = []
  const now = () => clock.now().getTime()

  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item

  const chance = (share: number) => random() < share
  // Schedules differ in kind, because a bug that one kind hides is frequent in another (swarm testing).
  const slowShare = pick([0, 0, 0.1, 0.3])
  const hurryShare = pick([0, 0.01, 0.01, 0.05])

  /** Time passes only now and then while calls are ready. Slow calls wait for the others. */
  function next(): Turn | undefined {
    turns = turns.filter(({ owner }) => owner.isAlive)
    const ready = turns.filter(({ at }) => at <= now())
    const timers = turns.filter(({ at }) => at > now())
    const prompt = ready.filter(({ isSlow }) => !isSlow)
    const passes = chance(ready.length > 0 && prompt.length === 0 ? Math.max(hurryShare, slowShare) : hurryShare)
    if (ready.length > 0 && (timers.length === 0 || !passes)) return pick(prompt.length > 0 ? prompt : ready)
    return timers.sort((a, b) => a.at - b.at)[0]
  }

  return {
    random,
    trace,
    pick,
    chance,
    between: (from: number, to: number) => from + Math.floor(random() * (to - from + 1)),
    note: (text: string) => void trace.push(text),
    /** Returns when the schedule gets to this call, but not before `seconds` have passed. */
    wait: (owner: Owner, call: string, seconds = 0): Promise<void> =>
      new Promise(
        (go) =>
          void turns.push({ owner, call, at: now() + seconds * 1_000, isSlow: slowShare > 0 && chance(slowShare), go }),
      ),
    /** Returns false if the work does not end. */
    async runUntil(isOver: () => boolean): Promise<boolean> {
      for (let turn = 0; turn < maxTurns; turn++) {
        // No port does real I/O, so everything that a call leads to has run by then.
        await untilQuiet()
        if (isOver()) return true
        const chosen = next()
        if (!chosen) return false
        turns = turns.filter((each) => each !== chosen)
        if (chosen.at > now()) clock.pass((chosen.at - now()) / 1_000)
        trace.push(`${chosen.owner.name}: ${chosen.call}`)
        chosen.go()
      }
      return false
    },
  }
}

/** Mulberry32: small, fast, and the same everywhere. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
