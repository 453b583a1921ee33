// Whether a connection still works, as found out by using it.
import type { Actor } from '../audit/audit.ts'
import type { Cause } from '../cause.ts'

/**
 * `unclear`: something else was broken, so nothing was learnt about the grant. `untested`: the function answered, and
 * nothing tries the grant behind it.
 */
export const healthOutcomes = ['healthy', 'broken', 'unclear', 'untested'] as const
export type HealthOutcome = (typeof healthOutcomes)[number]

export type HealthCheck = {
  id: number
  connectionId: string
  at: Date
  outcome: HealthOutcome
  cause: Cause | undefined
  /** Which part of the check it was, in our own words. */
  detail: string | undefined
  durationMs: number
  actorKind: Actor['kind']
}

/** How many checks of a connection are kept. */
export const mostHealthChecks = 50

/** Reasons why a grant cannot be used again until somebody acts; the platform tells them by a code. */
export const brokenGrantCauses = ['grant_revoked', 'client_rejected', 'scope_insufficient'] as const satisfies Cause[]
export type BrokenGrantCause = (typeof brokenGrantCauses)[number]

export const isBrokenGrant = (cause: Cause): cause is BrokenGrantCause =>
  (brokenGrantCauses as readonly Cause[]).includes(cause)

/**
 * The profile does not describe the provider as it is, or its tool cannot be called; its address is not called; or the
 * platform's own rules kept the call back.
 */
export type OperatorsCause = 'profile_mismatch' | 'address_blocked' | 'check_held_back'

/**
 * The result of calling a tool; `cause` is undefined if the failure says nothing about the grant. `unexplained`: the
 * platform could not refresh the grant, and was not told why.
 */
export type ToolTry =
  | { failed: false }
  | {
      failed: true
      cause: BrokenGrantCause | undefined
      unexplained?: boolean
      /** What the operator has to correct before anything can be told; the grant may be sound. */
      unclear?: OperatorsCause | undefined
      /** What would have to be granted, where the third party says it. */
      scope?: string | undefined
    }

export type Finding = {
  outcome: HealthOutcome
  cause: Cause | undefined
  /** Which part of the check it was, in our own words. */
  detail?: string | undefined
  /** The provider refused to refresh the grant and did not say why. */
  isUnexplained?: boolean
  /** What would have to be granted: a re-link asks for it. */
  scope?: string | undefined
}

/** Checks in a row that could not tell whether a connection works; `unclearSince`: when the first of them was. */
export type UnclearChecks = { unclearSince: Date | undefined; unclearChecks: number }

const hourMs = 60 * 60 * 1_000

/**
 * Nobody knows any more whether the connection works, which its tenant has to hear: for a day, or three times in a row.
 * Three checks that follow each other within the hour meet the same outage.
 */
export function isHealthUnknown({ unclearSince, unclearChecks }: UnclearChecks, now: Date): boolean {
  const ageMs = unclearSince ? now.getTime() - unclearSince.getTime() : 0
  return ageMs >= 24 * hourMs || (unclearChecks >= 3 && ageMs >= hourMs)
}

/**
 * Only a code breaks a connection. Words do not: a platform that sends no code, or one we do not know, has said nothing
 * about the grant, and a re-link that nobody needed costs a user's time.
 */
export function judgeTry(tried: ToolTry): Finding {
  if (!tried.failed) return { outcome: 'healthy', cause: undefined }
  return tried.cause
    ? { outcome: 'broken', cause: tried.cause, scope: tried.scope }
    : { outcome: 'unclear', cause: tried.unclear ?? 'provider_unavailable' }
}
