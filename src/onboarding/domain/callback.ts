import type { FactsOf } from './audit/audit-entry.ts'
import type { Cause } from './cause.ts'
import type { Link } from './link.ts'
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

/** RFC 6749 §4.1.2.1: the user said no, the client is not registered as it is used, or the provider could not ask. */
export function consentEnd(error: string): { to: 'denied' | 'failed'; facts: { cause: Cause } } {
  if (error === 'access_denied') return { to: 'denied', facts: { cause: 'consent_denied' } }
  return { to: 'failed', facts: { cause: registrationCause(error) ?? 'consent_failed' } }
}

/** Google's and GitHub's word for it (docs.github.com, the page on errors of access token requests), and Slack's. */
const redirectUriErrors: ReadonlySet<string> = new Set(['redirect_uri_mismatch', 'bad_redirect_uri'])

const clientErrors: ReadonlySet<string> = new Set([
  // RFC 6749 §4.1.2.1 and §5.2: what the client is, may ask for, or asks in this way.
  'invalid_client',
  'unauthorized_client',
  'invalid_scope',
  'unsupported_response_type',
  'unsupported_grant_type',
  // GitHub's and Slack's words for the same.
  'incorrect_client_credentials',
  'application_suspended',
  'bad_client_secret',
  'invalid_client_id',
])

/** Undefined for an error that says nothing about the client. */
export function registrationCause(error: string): Cause | undefined {
  if (redirectUriErrors.has(error)) return 'redirect_uri_rejected'
  return clientErrors.has(error) ? 'client_rejected' : undefined
}

/** As many as one user in a hurry does not make up alone, and an integration that was just set up has soon. */
export const latestStarts = 5

/**
 * Why a link ends whose user went to the provider and was not seen again. RFC 6749 §4.1.2.1: a provider that does not
 * know the redirect URI must not send the user back, so nobody tells us. But then no other user comes back either.
 */
export const abandonCause = (link: Link, latest: ReadonlyArray<Pick<Link, 'state' | 'cause'>>): Cause =>
  link.cause ?? (latest.some(cameBack) ? 'session_expired' : 'callback_missing')

const cameBack = ({ state, cause }: Pick<Link, 'state' | 'cause'>): boolean =>
  !(state === 'abandoned' && (cause === 'session_expired' || cause === 'callback_missing'))

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
