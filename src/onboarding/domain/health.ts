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

/** What a try of a tool came to; `text` is what it said when it failed. */
export type ToolTry = { failed: false } | { failed: true; text: string }

export type Finding = { outcome: HealthOutcome; cause: Cause | undefined }

/** A tool that fails tells by its words whether the grant is gone; anything else may be mended without the user. */
export function judgeTry(tried: ToolTry): Finding {
  if (!tried.failed) return { outcome: 'healthy', cause: undefined }
  if (clientWords.test(tried.text)) return { outcome: 'broken', cause: 'client_rejected' }
  if (grantWords.test(tried.text)) return { outcome: 'broken', cause: 'grant_revoked' }
  return { outcome: 'unclear', cause: 'provider_unavailable' }
}

/** RFC 6749 §5.2 and what GitHub and Slack say for the same. */
const clientWords = /\b(invalid_client|unauthorized_client|incorrect_client_credentials|bad_client_secret)\b/i

/** The platform's own words first, then the standard's, then those of providers that have others. */
const grantWords =
  /needs re-?linking|\b(invalid_grant|invalid_refresh_token|bad_refresh_token|token_revoked|token_expired|invalid_auth|account_inactive)\b|expired or revoked/i
