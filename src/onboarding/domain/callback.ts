import type { FactsOf } from './audit/audit-entry.ts'
import type { Cause } from './cause.ts'
import type { KnownIssuer } from './ports/provider.ts'

/** The reason for the record; the page says less, so that guessing teaches nothing. */
export function callbackRejection(
  outcome: 'unknown' | 'expired' | 'foreign_browser' | 'foreign_integration',
  browsers: readonly string[],
): FactsOf<'callback.rejected'>['refusal'] {
  if (outcome === 'foreign_integration') return 'context_mismatch'
  if (outcome === 'unknown') return 'state_unknown'
  if (outcome === 'expired') return 'state_expired'
  return browsers.length === 0 ? 'no_browser_binding' : 'browser_mismatch'
}

/** RFC 6749 §4.1.2.1: the user said no, or the provider could not ask. */
export function consentEnd(error: string): { to: 'denied' | 'failed'; facts: { cause: Cause } } {
  return error === 'access_denied'
    ? { to: 'denied', facts: { cause: 'consent_denied' } }
    : { to: 'failed', facts: { cause: 'consent_failed' } }
}

/**
 * RFC 9207: a code that another provider issued must never be sent to this one. Who promised to name itself must;
 * who did not may, with its own name. A profile that knows no issuer has nothing to compare.
 */
export function isSoundIssuer(named: string | undefined, { issuer, promised }: KnownIssuer): boolean {
  if (named === undefined) return !promised
  return issuer === undefined ? !promised : named === issuer
}

/** RFC 7636 §4.1. */
export const verifierPattern = /^[A-Za-z0-9\-._~]{43,128}$/
