// Breaks one thing after the other, each for a moment, in an order that a seed decides.
import { setTimeout as pause } from 'node:timers/promises'

/** Ends what it began: after it the world is whole again, and only the program has to recover. */
export type Faults = Record<string, () => unknown>

export type Nemesis = { done: Promise<Record<string, number>>; stop(): void }

/** Each fault occurs before any occurs again. */
export function releaseNemesis(faults: Faults, chance: () => number): Nemesis {
  const done: Record<string, number> = {}
  let going = true
  const rage = async () => {
    for (let deck: string[] = []; going; ) {
      if (deck.length === 0) deck = Object.keys(faults)
      const [name = ''] = deck.splice(Math.floor(chance() * deck.length), 1)
      await pause(2_000 + chance() * 6_000)
      if (!going) break
      try {
        await faults[name]?.()
      } catch (error) {
        console.log(`${name}:`, error)
        throw error
      }
      done[name] = (done[name] ?? 0) + 1
    }
    return done
  }
  return {
    done: rage(),
    stop() {
      going = false
    },
  }
}
