// Grants that users revoke die one by one, at any age. Deaths at one age or at one time point to the app.
import type { Cause } from '../cause.ts'
import { type DoctorFinding, inconclusive, ok, wrong } from './finding.ts'

export type GrantDeath = { grantedAt: Date; diedAt: Date }

export type GrantCohort = { deaths: readonly GrantDeath[]; alive: number }

export const maxDeaths = 500
export const maxAlive = 2 * maxDeaths

const dayMs = 86_400_000
const hourMs = 3_600_000

type AgeRule = { days: number; toleranceMs: number; cause: Cause; words: string }

/** Known limits of providers: Google's testing mode; idle grants at Microsoft, Miro, Airtable and Atlassian. */
const fatalAges: readonly AgeRule[] = [
  { days: 7, toleranceMs: hourMs, cause: 'app_unverified', words: 'the app is still in testing mode' },
  { days: 60, toleranceMs: dayMs, cause: 'grant_revoked', words: 'the app ends grants that are not refreshed' },
  { days: 90, toleranceMs: dayMs, cause: 'grant_revoked', words: 'the app ends grants that are not refreshed' },
]

const minDeaths = 3
const share = 0.6

type GrantLifetimes = { refreshIdleDays?: number | undefined; refreshMaxAgeDays?: number | undefined }

export const timeFindings = (cohort: GrantCohort, lifetimes: GrantLifetimes = {}): DoctorFinding[] => [
  ageFinding(cohort, [...profileAges(lifetimes), ...fatalAges]),
  togetherFinding(cohort),
]

const profileAges = ({ refreshIdleDays: idle, refreshMaxAgeDays: max }: GrantLifetimes): AgeRule[] => [
  ...(idle === undefined
    ? []
    : [{ ...ended, days: idle, words: 'grants that are not refreshed end, as its profile says' }]),
  ...(max === undefined ? [] : [{ ...ended, days: max, words: 'grants end at this age, as its profile says' }]),
]

const ended = { toleranceMs: dayMs, cause: 'grant_revoked' } as const

function ageFinding({ deaths }: GrantCohort, ages: readonly AgeRule[]): DoctorFinding {
  if (deaths.length < minDeaths) return inconclusive('grant_age', `${counted(deaths.length)} died: too few to tell.`)
  const fits = ({ days, toleranceMs }: AgeRule) => deaths.filter((death) => isAge(death, days, toleranceMs)).length
  const rule = ages.find((each) => fits(each) >= Math.max(minDeaths, deaths.length * share))
  return rule
    ? wrong('grant_age', rule.cause, `${fits(rule)} of ${deaths.length} died at ${rule.days} days: ${rule.words}.`)
    : ok('grant_age', `${counted(deaths.length)} died, at different ages.`)
}

const isAge = ({ grantedAt, diedAt }: GrantDeath, days: number, toleranceMs: number): boolean =>
  Math.abs(diedAt.getTime() - grantedAt.getTime() - days * dayMs) <= toleranceMs

function togetherFinding({ deaths, alive }: GrantCohort): DoctorFinding {
  const largest = largestHour(deaths)
  if (largest < minDeaths) return ok('grant_deaths', 'No group of grants died together.')
  const total = deaths.length + alive
  if (largest < total / 2) {
    const all = alive < maxAlive ? `${total}` : `more than ${total - 1}`
    return inconclusive('grant_deaths', `${largest} of ${all} died within an hour.`)
  }
  const words = `${largest} of ${total} died within an hour: the secret or the app changed.`
  return wrong('grant_deaths', 'client_rejected', words)
}

function largestHour(deaths: readonly GrantDeath[]): number {
  const times = deaths.map(({ diedAt }) => diedAt.getTime()).sort((a, b) => a - b)
  let first = 0
  let largest = 0
  for (const [at, time] of times.entries()) {
    while (time - (times[first] ?? time) > hourMs) first++
    largest = Math.max(largest, at - first + 1)
  }
  return largest
}

const counted = (grants: number): string => (grants === 1 ? 'One grant' : `${grants} grants`)
