// Breaks one thing after the other, each for a moment, as a seed says; the same seed breaks the same things.
import { setTimeout as pause } from 'node:timers/promises'
import type { Failing } from '../support/doubles/control-plane.ts'
import type { KillablePostgres } from '../support/processes/killable-stores.ts'
import type { Fleet, OnboardingProcess } from '../support/processes/onboarding-process.ts'

export type Nemesis = { done: Promise<Record<string, number>>; stop(): void }

export function releaseNemesis(fleet: Fleet, postgres: KillablePostgres, chance: () => number): Nemesis {
  const actions = faults(fleet, postgres, chance)
  const done: Record<string, number> = {}
  let going = true
  const rage = async () => {
    while (going) {
      await pause(2_000 + chance() * 8_000)
      const [name, act] = actions[Math.floor(chance() * actions.length)] as [string, () => Promise<void>]
      if (!going) break
      await act()
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

/** Every fault ends what it began: after it the world is whole again, and only the program has to recover. */
function faults(fleet: Fleet, postgres: KillablePostgres, chance: () => number) {
  const moment = () => pause(500 + chance() * 2_500)
  const runningOne = () => {
    const running = fleet.processes.filter((each) => each.running())
    return running[Math.floor(chance() * running.length)] as OnboardingProcess
  }
  const during = async (begin: () => void, end: () => unknown) => {
    begin()
    await moment()
    await end()
  }
  const replace = async (end: (old: OnboardingProcess) => Promise<unknown>) => {
    await end(runningOne())
    await fleet.start()
  }
  const { redis, redisLine, databaseLine, platformLine, platform } = fleet
  const failures: Failing[] = [500, 503, 'cut', 'drop', { status: 429, retryAfter: 1 }]
  return Object.entries({
    'a process is killed': () => replace((old) => old.kill()),
    'a process is asked to end': () => replace((old) => old.stop()),
    'Redis freezes': () => during(redis.freeze, redis.thaw),
    async 'Redis is killed'() {
      await redis.kill()
      await moment()
      await redis.start()
    },
    async 'PostgreSQL is killed'() {
      await postgres.kill()
      await postgres.start()
    },
    'the line to Redis is cut': async () => redisLine.cutOpen(),
    'the line to PostgreSQL is reset': () => during(databaseLine.reset, databaseLine.pass),
    'the platform is away': () => during(platformLine.refuse, platformLine.pass),
    'the platform loses an answer': async () => platformLine.dropReply(),
    'the platform fails at random': () =>
      during(
        () => {
          platform.fault = () => (chance() < 0.3 ? failures[Math.floor(chance() * failures.length)] : undefined)
        },
        () => {
          platform.fault = undefined
        },
      ),
  })
}

/** A small generator with a seed (mulberry32): a run that found something can be run again. */
export function seededChance(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
