import type { Cause } from './cause.ts'

/** The reason for the record; the page says less, so that guessing teaches nothing. */
export function callbackTrouble(
  outcome: 'unknown' | 'foreign_browser' | 'foreign_integration',
  browsers: readonly string[],
): string {
  if (outcome === 'foreign_integration') return 'context_mismatch'
  if (outcome === 'unknown') return 'state_unknown'
  return browsers.length === 0 ? 'no_browser_binding' : 'browser_mismatch'
}

/** RFC 6749 §4.1.2.1: the user said no, or the provider could not ask. */
export function consentCause(error: string): ['denied' | 'failed', Cause] {
  return error === 'access_denied' ? ['denied', 'consent_denied'] : ['failed', 'consent_failed']
}
