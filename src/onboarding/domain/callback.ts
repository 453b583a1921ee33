import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../kit/crypto/secret.ts'
import type { FactsOf } from './audit/audit-entry.ts'
import type { Cause } from './cause.ts'
import { causeOf, signalIn } from './doctor/signals.ts'
import type { Profile } from './integration.ts'
import type { Config, Link } from './link.ts'
import type { KnownIssuer } from './ports/provider.ts'

/** The reason for the record; the page says less, so that guessing teaches nothing. */
export function callbackRejection(
  outcome: 'unknown' | 'expired' | 'foreign_browser' | 'foreign_callback',
  browsers: readonly string[],
): FactsOf<'callback.rejected'>['refusal'] {
  if (outcome === 'foreign_callback') return 'context_mismatch'
  if (outcome === 'unknown') return 'state_unknown'
  if (outcome === 'expired') return 'state_expired'
  return browsers.length === 0 ? 'no_browser_binding' : 'browser_mismatch'
}

/** RFC 6749 §4.1.2.1: the user said no, the client is not registered as it is used, or the provider could not ask. */
export function consentEnd(error: string, description?: string): ConsentEnd {
  const cause = registrationCause(error, description) ?? requestCause(error)
  if (error === 'access_denied' && !cause) return { to: 'denied', facts: { cause: 'consent_denied' } }
  return { to: 'failed', facts: { cause: cause ?? 'consent_failed', detail: errorCode(error) } }
}

type ConsentEnd =
  | { to: 'denied'; facts: { cause: Cause } }
  | { to: 'failed'; facts: { cause: Cause; detail: string | undefined } }

/** RFC 6749, sections 4.1.2.1 and 5.2: the request itself is at fault, and it is made as the profile says. */
export const requestCause = (error: string): Cause | undefined =>
  error === 'invalid_request' ? 'request_rejected' : undefined

/**
 * An error of a provider as the record keeps it. RFC 6749 allows sentences in it: a user can write one into the address of
 * a callback, and a provider an echo of what it was sent. Codes that providers document are shorter and have no spaces.
 */
export const errorCode = (error: string): string | undefined =>
  /^[A-Za-z0-9_.:-]{1,60}$/.test(error) ? error : undefined

/** Undefined for an error that says nothing about the client. `description`: where some providers say more. */
export const registrationCause = (error: string, description?: string): Cause | undefined =>
  causeOf(signalIn(error, description))

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

/**
 * Whether a callback has the signature that its profile promises: HMAC-SHA256 in hex, by the client's secret, of the other
 * parameters in the order of their names, written as a form. Shopify signs so; `state` already ties the callback to this
 * browser, and the signature tells that nobody changed what stands beside it.
 */
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
