import type { Actor } from '../audit/audit.ts'
import { type Cause, type CauseWith, causeEntry } from '../cause.ts'

/** `unclear`: another failure hid the state of the grant. `untested`: the function answered without using the grant. */
export const healthOutcomes = ['healthy', 'broken', 'unclear', 'untested'] as const
export type HealthOutcome = (typeof healthOutcomes)[number]

export type HealthCheck = {
  id: number
  connectionId: string
  at: Date
  outcome: HealthOutcome
  cause: Cause | undefined
  detail: string | undefined
  durationMs: number
  actorKind: Actor['kind']
}

export const maxHealthChecks = 50

export type BrokenGrantCause = CauseWith<{ breaksConnection: true }>

export const isBrokenGrant = (cause: Cause): cause is BrokenGrantCause => causeEntry(cause).breaksConnection === true

/** `cause`: undefined if the grant may work. `unexplained`: the platform's refresh failed without a reason. */
export type ToolTry =
  | { failed: false }
  | {
      failed: true
      cause: BrokenGrantCause | undefined
      unexplained?: boolean
      /** The operator has to fix it first; the grant may work. */
      unclear?: CauseWith<{ whoseMove: 'operator' }> | undefined
      scope?: string | undefined
    }

export type Finding = {
  outcome: HealthOutcome
  cause: Cause | undefined
  detail?: string | undefined
  /** A refresh was refused without a reason. */
  isUnexplained?: boolean
  /** The client has to be fixed first, so the refusal does not count against the grant. */
  isHeldBack?: boolean
  scope?: string | undefined
}

type UnclearChecks = { unclearSince: Date | undefined; unclearChecks: number; cause: Cause }

const hourMs = 60 * 60 * 1_000

/**
 * After a day, or three checks in a row over at least an hour: checks within an hour see the same outage. While the
 * client is rejected, the operator has the day to correct it.
 */
export function isHealthUnknown({ unclearSince, unclearChecks, cause }: UnclearChecks, now: Date): boolean {
  const ageMs = unclearSince ? now.getTime() - unclearSince.getTime() : 0
  return ageMs >= 24 * hourMs || (unclearChecks >= 3 && ageMs >= hourMs && causeEntry(cause).faultOf !== 'client')
}

/** Only a known code breaks a connection: an unnecessary re-link costs a user's time. */
export function judgeTry(tried: ToolTry): Finding {
  if (!tried.failed) return { outcome: 'healthy', cause: undefined }
  return tried.cause
    ? { outcome: 'broken', cause: tried.cause, scope: tried.scope }
    : { outcome: 'unclear', cause: tried.unclear ?? 'provider_unavailable' }
}
