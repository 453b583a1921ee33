// Whether a connection still works, as found out by using it.
import type { Actor } from './audit/audit.ts'
import type { Cause } from './cause.ts'

/** `unclear`: something else was broken, so nothing was learnt about the grant. */
export const healthOutcomes = ['healthy', 'broken', 'unclear'] as const
export type HealthOutcome = (typeof healthOutcomes)[number]

export type HealthCheck = {
  id: number
  connectionId: string
  at: Date
  outcome: HealthOutcome
  cause: Cause | undefined
  durationMs: number
  actorKind: Actor['kind']
}

/** How many checks of a connection are kept. */
export const mostHealthChecks = 50

/** Reasons why a tool cannot work again until somebody acts; the platform tells them by a code. */
export const brokenGrantCauses = ['grant_revoked', 'client_rejected'] as const satisfies Cause[]
export type BrokenGrantCause = (typeof brokenGrantCauses)[number]

/** The result of calling a tool; `cause` is undefined if the failure says nothing about the grant. */
export type ToolTry = { failed: false } | { failed: true; cause: BrokenGrantCause | undefined }

export type Finding = { outcome: HealthOutcome; cause: Cause | undefined }

/**
 * Only a code breaks a connection. Words do not: a platform that sends no code, or one we do not know, has said nothing
 * about the grant, and a re-link that nobody needed costs a user's time.
 */
export function judgeTry(tried: ToolTry): Finding {
  if (!tried.failed) return { outcome: 'healthy', cause: undefined }
  return tried.cause ? { outcome: 'broken', cause: tried.cause } : { outcome: 'unclear', cause: 'provider_unavailable' }
}
