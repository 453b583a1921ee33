import { expect, test } from 'vitest'
import { type GrantDeath, maxAlive, timeFindings } from '../../../../src/onboarding/domain/doctor/deaths.ts'

const day = 86_400_000
const now = Date.parse('2026-11-16T12:00:00Z')

/** Days after the grant, and days ago. */
const death = (ageDays: number, agoDays: number): GrantDeath => ({
  grantedAt: new Date(now - (agoDays + ageDays) * day),
  diedAt: new Date(now - agoDays * day),
})

const verdicts = (deaths: GrantDeath[], alive: number) =>
  Object.fromEntries(timeFindings({ deaths, alive }).map(({ check, verdict, cause }) => [check, { verdict, cause }]))

test('grants that die at seven days, to the hour, tell of a testing mode', () => {
  const found = verdicts([death(7, 1), death(7.01, 3), death(6.99, 5), death(2, 4)], 20)

  expect(found.grant_age).toEqual({ verdict: 'wrong', cause: 'app_unverified' })
  expect(found.grant_deaths?.verdict).toBe('ok')
})

test.each([60, 90])('grants that die at %i days tell of a provider that ends idle ones', (age) => {
  expect(verdicts([death(age, 1), death(age, 9), death(age + 0.5, 20)], 50).grant_age).toMatchObject({
    verdict: 'wrong',
  })
})

test('a profile knows further ages', () => {
  const deaths = [death(30, 1), death(30.3, 9), death(29.8, 20)]
  const [age] = timeFindings({ deaths, alive: 5 }, { refreshIdleDays: 30 })

  expect(timeFindings({ deaths, alive: 5 })[0]?.verdict).toBe('ok')
  expect(age).toMatchObject({ verdict: 'wrong', evidence: expect.stringContaining('3 of 3 died at 30 days') })
})

test('most grants within one hour tell of a changed secret or a suspended app', () => {
  const found = verdicts([death(3, 1), death(40, 1.01), death(11, 1.02), death(90.5, 1.03)], 2)

  expect(found.grant_deaths).toEqual({ verdict: 'wrong', cause: 'client_rejected' })
})

test('a few within an hour, of many that live, say nothing for certain', () => {
  expect(verdicts([death(3, 1), death(40, 1), death(11, 1)], 200).grant_deaths?.verdict).toBe('inconclusive')
})

test('where more live than are counted, it is said so', () => {
  const deaths = [death(3, 1), death(40, 1), death(11, 1)]

  const [, together] = timeFindings({ deaths, alive: maxAlive })

  expect(together).toMatchObject({ evidence: `3 of more than ${maxAlive + 2} died within an hour.` })
})

test('users who revoke one by one, at any age, are no fault of the app', () => {
  const found = verdicts([death(3, 1), death(20, 5), death(11, 9), death(33, 14)], 10)

  expect([found.grant_age?.verdict, found.grant_deaths?.verdict]).toEqual(['ok', 'ok'])
})

test('two deaths are too few to tell', () => {
  expect(verdicts([death(7, 1), death(7, 2)], 0).grant_age?.verdict).toBe('inconclusive')
})
