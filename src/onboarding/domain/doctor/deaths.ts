// What the times at which grants died tell of the app: grants that users revoke die one by one, at any age.
import type { Cause } from '../cause.ts'
import { type DoctorFinding, inconclusive, ok, wrong } from './finding.ts'

export type GrantDeath = { grantedAt: Date; diedAt: Date }

/** Of one client: the newest grants that died lately, and how many live. */
export type GrantCohort = { deaths: readonly GrantDeath[]; alive: number }

/** What is read and counted at most: more would change no verdict. Twice as many as can have died are surely the most. */
export const mostDeaths = 500
export const mostAlive = 2 * mostDeaths

const dayMs = 86_400_000
const hourMs = 3_600_000

type AgeRule = { days: number; toleranceMs: number; cause: Cause; words: string }

/** Ages at which providers end grants: Google's testing mode; idle grants at Microsoft, Miro, Airtable and Atlassian. */
export const fatalAges: readonly AgeRule[] = [
  { days: 7, toleranceMs: hourMs, cause: 'app_unverified', words: 'the app is still in testing mode' },
  { days: 60, toleranceMs: dayMs, cause: 'grant_revoked', words: 'the app ends grants that are not refreshed' },
  { days: 90, toleranceMs: dayMs, cause: 'grant_revoked', words: 'the app ends grants that are not refreshed' },
]

/** Fewer may be chance. */
const fewestDeaths = 3
/** So many of all that died must fit one explanation. */
const share = 0.6

/** What a profile says of how long grants live. */
export type GrantLifetimes = { refreshIdleDays?: number | undefined; refreshMaxAgeDays?: number | undefined }

export const timeFindings = (cohort: GrantCohort, lifetimes: GrantLifetimes = {}): DoctorFinding[] => [
  ageFinding(cohort, [...profileAges(lifetimes), ...fatalAges]),
  togetherFinding(cohort),
]

const profileAges = ({ refreshIdleDays: idle, refreshMaxAgeDays: most }: GrantLifetimes): AgeRule[] => [
  ...(idle === undefined
    ? []
    : [{ ...ended, days: idle, words: 'grants that are not refreshed end, as its profile says' }]),
  ...(most === undefined ? [] : [{ ...ended, days: most, words: 'grants end at this age, as its profile says' }]),
]

const ended = { toleranceMs: dayMs, cause: 'grant_revoked' } as const

function ageFinding({ deaths }: GrantCohort, ages: readonly AgeRule[]): DoctorFinding {
  if (deaths.length < fewestDeaths) return inconclusive('grant_age', `${counted(deaths.length)} died: too few to tell.`)
  const fits = ({ days, toleranceMs }: AgeRule) => deaths.filter((death) => isAge(death, days, toleranceMs)).length
  const rule = ages.find((each) => fits(each) >= Math.max(fewestDeaths, deaths.length * share))
  return rule
    ? wrong('grant_age', rule.cause, `${fits(rule)} of ${deaths.length} died at ${rule.days} days: ${rule.words}.`)
    : ok('grant_age', `${counted(deaths.length)} died, at different ages.`)
}

const isAge = ({ grantedAt, diedAt }: GrantDeath, days: number, toleranceMs: number): boolean =>
  Math.abs(diedAt.getTime() - grantedAt.getTime() - days * dayMs) <= toleranceMs

/** Half of all grants within an hour: the secret was changed, or the app suspended. */
function togetherFinding({ deaths, alive }: GrantCohort): DoctorFinding {
  const most = largestHour(deaths)
  if (most < fewestDeaths) return ok('grant_deaths', 'No group of grants died together.')
  const total = deaths.length + alive
  if (most < total / 2) {
    const all = alive < mostAlive ? `${total}` : `more than ${total - 1}`
    return inconclusive('grant_deaths', `${most} of ${all} died within an hour.`)
  }
  const words = `${most} of ${total} died within an hour: the secret or the app changed.`
  return wrong('grant_deaths', 'client_rejected', words)
}

/** The most deaths that lie within an hour of each other. */
function largestHour(deaths: readonly GrantDeath[]): number {
  const times = deaths.map(({ diedAt }) => diedAt.getTime()).sort((a, b) => a - b)
  let first = 0
  let most = 0
  for (const [at, time] of times.entries()) {
    while (time - (times[first] ?? time) > hourMs) first++
    most = Math.max(most, at - first + 1)
  }
  return most
}

const counted = (grants: number): string => (grants === 1 ? 'One grant' : `${grants} grants`)
