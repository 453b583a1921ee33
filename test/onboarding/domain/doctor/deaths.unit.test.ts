import { expect, test } from 'vitest'
import {
  type GrantDeath,
  maxAlive,
  reuseFinding,
  sameAccountFinding,
  timeFindings,
} from '../../../../src/onboarding/domain/doctor/deaths.ts'

const day = 86_400_000
const sixHours = 6 * 60 * 60
const now = Date.parse('2026-11-16T12:00:00Z')

/** Days after the grant, and days ago. */
const death = (ageDays: number, agoDays: number): GrantDeath => ({
  grantedAt: new Date(now - (agoDays + ageDays) * day),
  diedAt: new Date(now - agoDays * day),
})

const verdicts = (deaths: GrantDeath[], alive: number) =>
  Object.fromEntries(
    timeFindings({ deaths, alive }, {}, sixHours).map(({ check, verdict, cause }) => [check, { verdict, cause }]),
  )

test('grants that end at exactly seven days indicate an app in testing mode', () => {
  const found = verdicts([death(7, 1), death(7.01, 3), death(6.99, 5), death(2, 4)], 20)

  expect(found.grant_age).toEqual({ verdict: 'wrong', cause: 'app_unverified' })
  expect(found.grant_deaths?.verdict).toBe('ok')
})

test.each([60, 90])('grants that end at %i days indicate a provider that expires idle grants', (age) => {
  expect(verdicts([death(age, 1), death(age, 9), death(age + 0.5, 20)], 50).grant_age).toMatchObject({
    verdict: 'wrong',
  })
})

test('a profile adds an idle lifetime', () => {
  const deaths = [death(30, 1), death(30.3, 9), death(29.8, 20)]
  const [age] = timeFindings({ deaths, alive: 5 }, { refreshIdleDays: 30 }, sixHours)

  expect(timeFindings({ deaths, alive: 5 }, {}, sixHours)[0]?.verdict).toBe('inconclusive')
  expect(age).toMatchObject({ verdict: 'wrong', evidence: expect.stringContaining('3 of 3 ended after 30 days') })
})

test('grants that end at another age indicate a limit that the profile does not name', () => {
  const deaths = [1, 9, 20, 33, 40].map((agoDays) => death(14.1, agoDays))

  const [age] = timeFindings({ deaths: [...deaths, death(3, 2)], alive: 20 }, {}, sixHours)

  expect(age).toMatchObject({
    verdict: 'wrong',
    evidence: '5 of 6 ended after about 14 days. The app seems to end access at that age.',
    remedy: { whoseMove: 'operator', advice: expect.stringContaining('refreshIdleDays') },
  })
})

test('grants that were given together and ended together have no age limit', () => {
  const deaths = [0, 0.1, 0.2, 0.3, 0.4].map((agoDays) => death(14, agoDays))

  expect(verdicts(deaths, 0).grant_age?.verdict).toBe('ok')
})

test('grants that end once the account is linked again indicate a limit for each account', () => {
  const replaced = { ...death(3, 1), isReplaced: true }

  expect(sameAccountFinding({ deaths: [replaced, replaced, replaced, death(4, 9)], alive: 4 })).toMatchObject({
    verdict: 'wrong',
    remedy: { whoseMove: 'operator', advice: expect.stringContaining('ifConnected "relink"') },
  })
  expect(sameAccountFinding({ deaths: [replaced, death(4, 9)], alive: 4 }).verdict).toBe('inconclusive')
  expect(sameAccountFinding({ deaths: [death(4, 9)], alive: 4 }).verdict).toBe('ok')
  expect(sameAccountFinding({ deaths: [], alive: 0 }).verdict).toBe('inconclusive')
})

test('most grants ending within an hour indicate a changed secret or a suspended app', () => {
  const found = verdicts([death(3, 1), death(40, 1.01), death(11, 1.02), death(90.5, 1.03)], 2)

  expect(found.grant_deaths).toEqual({ verdict: 'wrong', cause: 'client_rejected' })
})

test('grants that were also granted within an hour may have reached an age limit', () => {
  const found = verdicts([death(7, 1), death(7.01, 1), death(6.99, 1.01)], 0)

  expect(found.grant_deaths?.verdict).toBe('inconclusive')
  expect(found.grant_age).toEqual({ verdict: 'wrong', cause: 'app_unverified' })
})

test('nothing is known about grants before the first one', () => {
  expect(verdicts([], 0).grant_deaths?.verdict).toBe('inconclusive')
  expect(reuseFinding({ deaths: [], alive: 0 }).verdict).toBe('inconclusive')
  expect(verdicts([], 1).grant_deaths?.verdict).toBe('ok')
})

test('a few of many grants ending within an hour are inconclusive', () => {
  expect(verdicts([death(3, 1), death(40, 1), death(11, 1)], 200).grant_deaths?.verdict).toBe('inconclusive')
})

test('reports a lower bound if there are more live grants than are counted', () => {
  const deaths = [death(3, 1), death(40, 1), death(11, 1)]

  const [, together] = timeFindings({ deaths, alive: maxAlive }, {}, sixHours)

  expect(together).toMatchObject({ evidence: `3 of more than ${maxAlive + 2} ended within an hour.` })
})

test('individual revocations at any age are not a fault of the app', () => {
  const found = verdicts([death(3, 1), death(20, 5), death(11, 9), death(33, 14)], 10)

  expect([found.grant_age?.verdict, found.grant_deaths?.verdict]).toEqual(['ok', 'ok'])
})

test('two ended grants are inconclusive', () => {
  expect(verdicts([death(7, 1), death(7, 2)], 0).grant_age?.verdict).toBe('inconclusive')
})

/** mulberry32: the same numbers in every run. */
function seeded(seed: number): () => number {
  let at = seed
  return () => {
    at = (at + 0x6d2b79f5) | 0
    let mixed = Math.imul(at ^ (at >>> 15), 1 | at)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

const hour = 3_600_000

/** When a check finds a grant that ended at this age, as checks are scheduled: every 6 hours, with a jitter of 10 %. */
function foundAt(endsAtMs: number, chance: () => number): number {
  // Agents also use the grant: the access token of that refresh outlives it by up to an hour.
  const worksUntil = endsAtMs + (chance() < 0.5 ? chance() * hour : 0)
  let at = sixHours * 1_000
  while (at < worksUntil) at += sixHours * 1_000 * (0.9 + 0.2 * chance())
  return at
}

function grantsEnding(count: number, endsAtMs: () => number, chance: () => number): GrantDeath[] {
  return Array.from({ length: count }, () => {
    const grantedAt = now - (20 + 60 * chance()) * day
    return { grantedAt: new Date(grantedAt), diedAt: new Date(grantedAt + foundAt(endsAtMs(), chance)) }
  })
}

test('detects at least 290 of 300 simulated testing modes, although users also revoke', () => {
  const chance = seeded(20_261_118)
  const endsAt = () => (chance() < 0.1 ? chance() * 7 * day : 7 * day)

  const runs = [20, 50, 5].flatMap((count) =>
    Array.from({ length: 100 }, () => verdicts(grantsEnding(count, endsAt, chance), 3).grant_age),
  )

  expect(runs).toHaveLength(300)
  expect(runs.filter((found) => found?.cause === 'app_unverified').length).toBeGreaterThanOrEqual(290)
})

test.each([
  ['at any age up to 100 days', (chance: number) => chance * 100 * day],
  ['mostly in their first weeks', (chance: number) => -Math.log(1 - chance) * 10 * day],
])('raises no alarm for grants that users revoke %s', (_, ageOf) => {
  const chance = seeded(7)

  const alarms = [20, 50, 5, 3].flatMap((count) =>
    Array.from(
      { length: 100 },
      () =>
        verdicts(
          grantsEnding(count, () => ageOf(chance()), chance),
          3,
        ).grant_age,
    ).filter((found) => found?.verdict === 'wrong'),
  )

  expect(alarms).toEqual([])
})

test('short-lived grants with single-use refresh tokens indicate another client of the token', () => {
  const found = reuseFinding({ deaths: [death(0.3, 1), { ...death(0.6, 2), imported: true }, death(40, 3)], alive: 4 })

  expect(found).toMatchObject({ verdict: 'wrong', remedy: { whoseMove: 'operator' } })
  expect(found.evidence).toContain('2 of 3 expired accounts ended within two days, 1 of them after an import')
  expect(found.remedy?.advice).toContain('no other program uses these tokens')
})

test('one short-lived grant may be token reuse, and is not reported as such', () => {
  const [one, old] = [
    reuseFinding({ deaths: [death(0.3, 1)], alive: 4 }),
    reuseFinding({ deaths: [death(9, 1)], alive: 4 }),
  ]

  expect(one).toMatchObject({ verdict: 'inconclusive', remedy: { whoseMove: 'operator' } })
  expect(old.verdict).toBe('ok')
})
