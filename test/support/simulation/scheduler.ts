// Decides which waiting call goes on. All chance comes from the seed, so a seed repeats its schedule exactly.
import { setImmediate as untilQuiet } from 'node:timers/promises'
import type { steppedClock } from '../memory/clock.ts'

/** The process whose call waits. Calls of a dead process never return. */
export type Owner = { name: string; isAlive: boolean }

type Turn = { owner: Owner; call: string; at: number; go: () => void }

export type Scheduler = ReturnType<typeof openScheduler>

const maxTurns = 6_000

export function openScheduler(seed: number, clock: ReturnType<typeof steppedClock>) {
  const random = randomFrom(seed)
  const trace: string[] = []
  let turns: Turn[] = []
  const now = () => clock.now().getTime()

  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item

  /** Usually a call that is ready, so that time passes only now and then while calls are open. */
  function next(): Turn | undefined {
    turns = turns.filter(({ owner }) => owner.isAlive)
    const ready = turns.filter(({ at }) => at <= now())
    const timers = turns.filter(({ at }) => at > now())
    if (ready.length > 0 && (timers.length === 0 || random() > 0.01)) return pick(ready)
    return timers.sort((a, b) => a.at - b.at)[0]
  }

  return {
    random,
    trace,
    pick,
    chance: (share: number) => random() < share,
    between: (from: number, to: number) => from + Math.floor(random() * (to - from + 1)),
    note: (text: string) => void trace.push(text),
    /** Returns when the schedule gets to this call, but not before `seconds` have passed. */
    wait: (owner: Owner, call: string, seconds = 0): Promise<void> =>
      new Promise((go) => void turns.push({ owner, call, at: now() + seconds * 1_000, go })),
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
