// `npm run soak`: links without pause while something breaks every few seconds; at the end nothing may be lost.
// SOAK_SECONDS (900), SOAK_RATE links a second (20), SOAK_SEED (random, printed).
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { linkPatiently } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { startKillablePostgres } from '../support/processes/killable-stores.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'
import { leaseSeconds, poisonTenant, releaseNemesis, seededChance } from './nemesis.ts'

const seconds = Number(process.env.SOAK_SECONDS ?? 900)
const rate = Number(process.env.SOAK_RATE ?? 20)
const seed = Number(process.env.SOAK_SEED ?? Date.now() % 1_000_000)

let postgres: Awaited<ReturnType<typeof startKillablePostgres>>
let fleet: Fleet

beforeAll(async () => {
  postgres = await startKillablePostgres()
  fleet = await startFleet({ postgres, env: { LEASE_SECONDS: String(leaseSeconds), LOG_LEVEL: 'warn' } })
  await Promise.all([fleet.start(), fleet.start()])
  for (const tenant of [...tenants, poisonTenant]) await fleet.putTenant(tenant)
}, 120_000)
afterAll(() => fleet.close())

const tenants = ['acme', 'first', 'second', 'third']

test(
  'under random faults, no link is lost or duplicated, and every link ends',
  async () => {
    console.log(`seed ${seed}, ${seconds} s, ${rate} links a second`)
    const nemesis = releaseNemesis(fleet, postgres, seededChance(seed))
    const users: Array<Promise<string>> = []
    for (const end = Date.now() + seconds * 1_000; Date.now() < end; await pause(1_000 / rate)) {
      users.push(oneUser(users.length))
    }
    nemesis.stop()
    const broken = await nemesis.done
    const outcomes = await Promise.all(users)
    await untilQuiet(fleet, 180_000)

    console.log('broke:', broken)
    console.log('users:', counted(outcomes))
    console.log('links:', await states())
    expect(await brokenPromises(fleet)).toEqual([])
    expect(outcomes.filter((outcome) => outcome === 'completed').length).toBeGreaterThan(0)
  },
  (seconds + 600) * 1_000,
)

/** A user may ignore a request to start again. The abandoned link must still end. */
const oneUser = (at: number): Promise<string> =>
  linkPatiently(fleet, { mint: { tenantId: tenants[at % tenants.length] }, withinMs: 60_000 }).then(
    ({ outcome }) => outcome,
    () => 'gave up',
  )

const counted = (words: string[]): Record<string, number> =>
  Object.fromEntries([...new Set(words)].map((word) => [word, words.filter((each) => each === word).length]))

async function states(): Promise<Record<string, number>> {
  const { rows } = await fleet.sql.query('select state, count(*)::int as links from links group by state')
  return Object.fromEntries(rows.map(({ state, links }) => [state, links]))
}
