// Grants that users revoke die one by one, at any age. Deaths at one age or at one time point to the app.
import type { Cause } from '../cause.ts'
import { type DoctorFinding, inconclusive, ok, type Remedy, wrong } from './finding.ts'

/**
 * `imported`: the grant came from another system, which may still have its refresh token. `isReplaced`: the same account
 * was linked by another connection before.
 */
export type GrantDeath = { grantedAt: Date; diedAt: Date; imported?: boolean; isReplaced?: boolean }

export type GrantCohort = { deaths: readonly GrantDeath[]; alive: number }

export const maxDeaths = 500
export const maxAlive = 2 * maxDeaths

const dayMs = 86_400_000
const hourMs = 3_600_000

/** `earlyMs`: how much before that age a death counts. Deaths are also found late, see `maxDelayMs`. */
type AgeRule = { days: number; earlyMs: number; cause: Cause; words: string }

/** Known limits of providers: Google's testing mode; idle grants at Microsoft, Miro, Airtable and Atlassian. */
const fatalAges: readonly AgeRule[] = [
  { days: 7, earlyMs: hourMs, cause: 'app_unverified', words: 'the app is still in testing mode' },
  { days: 60, earlyMs: dayMs, cause: 'grant_revoked', words: 'the app ends access that is not refreshed' },
  { days: 90, earlyMs: dayMs, cause: 'grant_revoked', words: 'the app ends access that is not refreshed' },
]

const minDeaths = 3
const share = 0.6

type GrantLifetimes = { refreshIdleDays?: number | undefined; refreshMaxAgeDays?: number | undefined }

export const timeFindings = (cohort: GrantCohort, lifetimes: GrantLifetimes, checkSeconds: number): DoctorFinding[] => [
  ageFinding(cohort, [...profileAges(lifetimes), ...fatalAges], maxDelayMs(checkSeconds)),
  togetherFinding(cohort),
]

/** Access tokens of most providers live for an hour. Until then, a check does not notice that the grant is dead. */
const accessTokenMs = hourMs

/** Checks are scheduled with a jitter of 10 %. */
const maxDelayMs = (checkSeconds: number): number => checkSeconds * 1_100 + accessTokenMs

const profileAges = ({ refreshIdleDays: idle, refreshMaxAgeDays: max }: GrantLifetimes): AgeRule[] => [
  ...(idle === undefined
    ? []
    : [{ ...ended, days: idle, words: 'access that is not refreshed ends, as its profile says' }]),
  ...(max === undefined ? [] : [{ ...ended, days: max, words: 'access ends at this age, as its profile says' }]),
]

const ended = { earlyMs: dayMs, cause: 'grant_revoked' } as const

function ageFinding({ deaths }: GrantCohort, ages: readonly AgeRule[], delayMs: number): DoctorFinding {
  if (deaths.length < minDeaths) return inconclusive('grant_age', `Expired access: ${deaths.length}, too few to tell.`)
  const fits = (rule: AgeRule) => deaths.filter((death) => isAge(death, rule, delayMs)).length
  const rule = ages.find((each) => fits(each) >= Math.max(minDeaths, deaths.length * share))
  return rule
    ? wrong('grant_age', rule.cause, `${fits(rule)} of ${deaths.length} ended after ${rule.days} days: ${rule.words}.`)
    : otherAgeFinding(deaths, delayMs)
}

/** Below it, several users may have revoked access at that age by chance. */
const minSameAge = 5

/** An age that neither the profile nor `fatalAges` names. Grants given together may have been revoked together. */
function otherAgeFinding(deaths: readonly GrantDeath[], delayMs: number): DoctorFinding {
  const windowMs = Math.max(dayMs, delayMs)
  const group = largestWithin(windowMs, deaths.filter(isOld), ageMs)
  const isLarge = group.length >= Math.max(minDeaths, deaths.length * share)
  if (
    !isLarge ||
    isWithin(
      2 * windowMs,
      group.map(({ grantedAt }) => grantedAt),
    )
  )
    return ok('grant_age', `Expired access: ${deaths.length}, no pattern by age.`)
  const days = Math.round(Math.min(...group.map(ageMs)) / dayMs)
  const words = `${group.length} of ${deaths.length} ended after about ${days} days.`
  return group.length < minSameAge
    ? inconclusive('grant_age', words)
    : wrong('grant_age', 'grant_revoked', `${words} The app seems to end access at that age.`, nameTheAge)
}

const nameTheAge: Remedy = {
  whoseMove: 'operator',
  advice:
    'The operator has to look up the lifetime of refresh tokens in the documentation of the app. If access ends that is not refreshed, "refreshIdleDays" in the entry of this integration in INTEGRATIONS_FILE, for both programs, makes the platform refresh it in time. If it ends at any rate, "refreshMaxAgeDays" says so.',
}

const ageMs = ({ grantedAt, diedAt }: GrantDeath): number => diedAt.getTime() - grantedAt.getTime()

function isAge({ grantedAt, diedAt }: GrantDeath, { days, earlyMs }: AgeRule, delayMs: number): boolean {
  const lateMs = diedAt.getTime() - grantedAt.getTime() - days * dayMs
  return lateMs >= -earlyMs && lateMs <= Math.max(earlyMs, delayMs)
}

const youngMs = 2 * dayMs
const isOld = (death: GrantDeath): boolean => ageMs(death) >= youngMs
const minReused = 2

/**
 * RFC 9700 §4.14.2: a provider that rotates refresh tokens ends the grant if a used one is sent again. Another holder of
 * the token sends it soon, so these grants die young.
 */
export function reuseFinding({ deaths, alive }: GrantCohort): DoctorFinding {
  if (deaths.length + alive === 0) return inconclusive('token_reuse', noAccounts)
  const young = deaths.filter((death) => !isOld(death))
  if (young.length === 0) return ok('token_reuse', 'No access ended within two days.')
  const imported = young.filter((death) => death.imported).length
  const died = `${young.length} of ${deaths.length} expired accounts ended within two days`
  const origin = imported > 0 ? `, ${imported} of them after an import` : ''
  const words = `${died}${origin}. The app ends access if a used refresh token is sent again.`
  return young.length >= Math.max(minReused, deaths.length * share)
    ? wrong('token_reuse', 'grant_revoked', words, stopOthers)
    : { ...inconclusive('token_reuse', words), remedy: stopOthers }
}

const stopOthers: Remedy = {
  whoseMove: 'operator',
  advice:
    'Refresh tokens of this app work once. The operator has to make sure that no other program uses these tokens: the system that they were imported from, a second server with the same database, or one that was restored from a backup. Then the users have to link their accounts again.',
}

const noAccounts = 'No account has been linked yet.'

/** Some apps keep few live grants of an account, and end the oldest. */
export function sameAccountFinding({ deaths, alive }: GrantCohort): DoctorFinding {
  if (deaths.length + alive === 0) return inconclusive('same_account', noAccounts)
  const replaced = deaths.filter(({ isReplaced }) => isReplaced).length
  if (replaced === 0) return ok('same_account', 'No access ended after its account was linked again.')
  const words = `${replaced} of ${deaths.length} expired accounts ended after the same account was linked again.`
  return replaced >= Math.max(minDeaths, deaths.length * share)
    ? wrong('same_account', 'grant_revoked', `${words} The app seems to end earlier access.`, linkOnce)
    : inconclusive('same_account', words)
}

const linkOnce: Remedy = {
  whoseMove: 'operator',
  advice:
    'The operator has to look up in the documentation of the app how many accesses of one account an OAuth app may have, and tell the tenants: with ifConnected "relink", which is the default, an account is linked once.',
}

function togetherFinding({ deaths, alive }: GrantCohort): DoctorFinding {
  if (deaths.length + alive === 0) return inconclusive('grant_deaths', noAccounts)
  const group = largestWithin(hourMs, deaths, ({ diedAt }) => diedAt.getTime())
  const largest = group.length
  if (largest < minDeaths) return ok('grant_deaths', 'No group of accounts lost access together.')
  const total = deaths.length + alive
  if (largest < total / 2) {
    const all = alive < maxAlive ? `${total}` : `more than ${total - 1}`
    return inconclusive('grant_deaths', `${largest} of ${all} ended within an hour.`)
  }
  const ended = `${largest} of ${total} ended within an hour`
  if (
    isWithin(
      hourMs,
      group.map(({ grantedAt }) => grantedAt),
    )
  )
    return inconclusive('grant_deaths', `${ended}, and were granted within an hour: an age limit would look the same.`)
  const words = `${ended}: the secret or the app changed.`
  return wrong('grant_deaths', 'client_rejected', words)
}

function isWithin(windowMs: number, dates: readonly Date[]): boolean {
  const times = dates.map((date) => date.getTime())
  return Math.max(...times) - Math.min(...times) <= windowMs
}

/** The most deaths whose values lie in one window. */
function largestWithin(windowMs: number, deaths: readonly GrantDeath[], measured: (death: GrantDeath) => number) {
  const sorted = [...deaths].sort((a, b) => measured(a) - measured(b))
  let first = 0
  let largest: GrantDeath[] = []
  for (const [at, death] of sorted.entries()) {
    while (measured(death) - measured(sorted[first] ?? death) > windowMs) first++
    if (at - first + 1 > largest.length) largest = sorted.slice(first, at + 1)
  }
  return largest
}
