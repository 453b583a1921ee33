import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../kit/crypto/secret.ts'
import type { FactsOf } from './audit/audit-entry.ts'
import type { Cause } from './cause.ts'
import { causeOf, signalIn } from './doctor/signals.ts'
import type { Profile } from './integration.ts'
import type { Config, Link } from './link.ts'
import type { KnownIssuer } from './ports/provider.ts'

/** For the audit only. The page is less specific, so guessing reveals nothing. */
export function callbackRejection(
  outcome: 'unknown' | 'expired' | 'foreign_browser' | 'foreign_callback',
  browsers: readonly string[],
): FactsOf<'callback.rejected'>['refusal'] {
  if (outcome === 'foreign_callback') return 'context_mismatch'
  if (outcome === 'unknown') return 'state_unknown'
  if (outcome === 'expired') return 'state_expired'
  return browsers.length === 0 ? 'no_browser_binding' : 'browser_mismatch'
}

/** RFC 6749 §4.1.2.1: the user declined, the client is misregistered, or the provider failed. */
export function consentEnd(error: string, description?: string): ConsentEnd {
  const cause = registrationCause(error, description) ?? requestCause(error)
  if (error === 'access_denied' && !cause) return { to: 'denied', facts: { cause: 'consent_denied' } }
  return { to: 'failed', facts: { cause: cause ?? 'consent_failed', detail: errorCode(error) } }
}

type ConsentEnd =
  | { to: 'denied'; facts: { cause: Cause } }
  | { to: 'failed'; facts: { cause: Cause; detail: string | undefined } }

export const requestCause = (error: string): Cause | undefined =>
  error === 'invalid_request' ? 'request_rejected' : undefined

/** RFC 6749 allows sentences here, and a user can write one into the callback URL. Real codes are short words. */
export const errorCode = (error: string): string | undefined =>
  /^[A-Za-z0-9_.:-]{1,60}$/.test(error) ? error : undefined

/** Returns undefined if the error is not about the client. Some providers explain more in `description`. */
export const registrationCause = (error: string, description?: string): Cause | undefined =>
  causeOf(signalIn(error, description))

export const latestStarts = 5

/** RFC 6749 §4.1.2.1: a provider must not send users back to an unregistered redirect URI. Then no user returns. */
export const abandonCause = (link: Link, latest: ReadonlyArray<Pick<Link, 'state' | 'cause'>>): Cause =>
  link.cause ?? (latest.some(cameBack) ? 'session_expired' : 'callback_missing')

const cameBack = ({ state, cause }: Pick<Link, 'state' | 'cause'>): boolean =>
  !(state === 'abandoned' && (cause === 'session_expired' || cause === 'callback_missing'))

/** RFC 9207: a code of another issuer must never be sent to this one. `iss` is required if the server announced it. */
export function isSoundIssuer(named: string | undefined, { issuer, promised }: KnownIssuer): boolean {
  if (named === undefined) return !promised
  return issuer === undefined ? !promised : named === issuer
}

/** RFC 7636 §4.1. */
export const verifierPattern = /^[A-Za-z0-9\-._~]{43,128}$/

/** Shopify: HMAC-SHA256 in hex of the other parameters, sorted and form-encoded, with the client secret as key. */
export function isSignedCallback(
  { callbackSignature: rule }: Pick<Profile, 'callbackSignature'>,
  callback: Config,
  secret: Secret | undefined,
): boolean {
  if (!rule) return true
  const { [rule.parameter]: signature = '', ...signed } = callback
  if (!secret) return false
  const parameters = new URLSearchParams(signed)
  parameters.sort()
  const expected = createHmac('sha256', secret.reveal()).update(parameters.toString()).digest()
  const given = Buffer.from(/^[0-9a-f]{64}$/i.test(signature) ? signature : '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
