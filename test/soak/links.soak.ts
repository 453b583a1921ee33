// `npm run soak`: links without pause while something breaks every few seconds; at the end nothing may be lost.
// SOAK_SECONDS (900), SOAK_RATE links a second (20), SOAK_SEED (random, printed).
import { execFileSync } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type Journey, linkPatiently } from '../support/http/patient-user.ts'
import { untilQuiet } from '../support/oracles/checker.ts'
import type { Fleet, OnboardingProcess } from '../support/processes/onboarding-process.ts'
import { randomFrom } from '../support/simulation/scheduler.ts'
import { releaseNemesis } from './nemesis.ts'
import { poisonTenant } from './program-faults.ts'
import { stages } from './stages.ts'

const seconds = Number(process.env.SOAK_SECONDS ?? 900)
const rate = Number(process.env.SOAK_RATE ?? 20)
const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000)
const maxUnderWay = 500

const tenants = ['acme', 'first', 'second', 'third']

test.each(Object.entries(stages))(
  'under random faults of %s, no link is lost or duplicated, and every link ends',
  async (name, { share, open }) => {
    const chance = randomFrom(seed)
    const stage = await open(chance)
    const { fleet, faults, spared } = stage
    const memory = spared && watchMemory(spared)
    try {
      for (const tenant of [...tenants, poisonTenant]) await fleet.putTenant(tenant)
      console.log(`${name}: seed ${seed}, ${seconds * share} s, ${rate} links a second`)
      const nemesis = releaseNemesis(faults, chance)
      const users: Array<Promise<Outcome>> = []
      let ended = 0
      for (const end = Date.now() + seconds * share * 1_000; Date.now() < end; await pause(1_000 / rate)) {
        if (users.length - ended >= maxUnderWay) continue
        users.push(oneUser(fleet, users.length).finally(() => ended++))
      }
      nemesis.stop()
      console.log('broke:', await nemesis.done)
      const outcomes = await Promise.all(users)
      await untilQuiet(fleet, 240_000)

      console.log('users:', counted(outcomes.map(({ outcome }) => outcome)))
      console.log('links:', await states(fleet))
      const toldLinked = outcomes.flatMap(({ isLinked, session }) => (isLinked ? [session] : []))
      expect(await stage.brokenPromises(toldLinked)).toEqual([])
      expect(toldLinked.length).toBeGreaterThan(0)
      const quarters = memory?.stop()
      if (quarters) console.log('memory of one process in MB, by quarter:', quarters)
      if (quarters && seconds >= 3_600) expect(quarters[3]).toBeLessThan((quarters[1] ?? 0) * 1.2)
    } finally {
      memory?.stop()
      await stage.close()
    }
  },
  (seconds + 900) * 1_000,
)

type Outcome = { outcome: Journey['outcome'] | 'gave up'; session: string; isLinked: boolean }

/** A user may ignore a request to start again. The abandoned link must still end. */
const oneUser = (fleet: Fleet, at: number): Promise<Outcome> =>
  linkPatiently(fleet, { mint: { tenantId: tenants[at % tenants.length] }, withinMs: 60_000 }).then(
    ({ outcome, minted, isLinked = false }) => ({ outcome, session: minted.id, isLinked }),
    () => ({ outcome: 'gave up' as const, session: '', isLinked: false }),
  )

const counted = (words: string[]): Record<string, number> =>
  Object.fromEntries([...new Set(words)].map((word) => [word, words.filter((each) => each === word).length]))

async function states({ sql }: Fleet): Promise<Record<string, number>> {
  const { rows } = await sql.query('select state, count(*)::int as links from links group by state')
  return Object.fromEntries(rows.map(({ state, links }) => [state, links]))
}

const sampleMs = 5_000

/** Medians of the resident memory in each quarter of the time. */
function watchMemory({ pid }: OnboardingProcess) {
  const samples: number[] = []
  const sample = () => samples.push(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / 1_024)
  const timer = setInterval(sample, sampleMs)
  return {
    stop(): number[] {
      clearInterval(timer)
      const size = Math.ceil(samples.length / 4)
      return [0, 1, 2, 3].map((at) => {
        const own = samples.slice(at * size, (at + 1) * size).sort((a, b) => a - b)
        return Math.round(own[Math.floor(own.length / 2)] ?? 0)
      })
    },
  }
}
