// What providers say about the app and its registration, in their own words: one table for links and for the doctor.
// Microsoft asks clients not to depend on its numbers (learn.microsoft.com/entra/identity-platform/reference-error-codes,
// read in November 2026), so what is not here means nothing.
import type { Cause } from '../cause.ts'

/** `code_rejected`: the authorization code alone was no good, so the client was. `grant_ended`: a refresh token is dead. */
export type SignalMeaning = Cause | 'code_rejected' | 'grant_ended'

export type Signal = {
  /** As it stands in `error`, in a code of the provider's own, or on a page. */
  code: string
  means: SignalMeaning
  /** Who says so. */
  from: string
}

const rfc = 'RFC 6749, sections 4.1.2.1 and 5.2'
const google = 'Google'
const microsoft = 'Microsoft Entra'
const slack = 'Slack'
const github = 'GitHub'
const zoho = 'Zoho'
const clickup = 'ClickUp'

export const signals: readonly Signal[] = [
  { code: 'invalid_client', means: 'client_rejected', from: rfc },
  { code: 'unauthorized_client', means: 'client_rejected', from: rfc },
  { code: 'invalid_scope', means: 'client_rejected', from: rfc },
  { code: 'unsupported_response_type', means: 'client_rejected', from: rfc },
  { code: 'unsupported_grant_type', means: 'client_rejected', from: rfc },
  { code: 'invalid_grant', means: 'code_rejected', from: rfc },

  // support.google.com/accounts/answer/16668185; deleted and disabled clients as in openpubkey/opkssh issue 617.
  { code: 'redirect_uri_mismatch', means: 'redirect_uri_rejected', from: `${google}, ${github}` },
  { code: 'deleted_client', means: 'app_suspended', from: google },
  { code: 'disabled_client', means: 'app_suspended', from: google },
  { code: 'org_internal', means: 'app_unverified', from: google },
  { code: 'admin_policy_enforced', means: 'admin_approval_needed', from: google },

  { code: 'AADSTS700016', means: 'client_rejected', from: microsoft },
  { code: 'AADSTS7000215', means: 'client_rejected', from: microsoft },
  { code: 'AADSTS7000222', means: 'client_secret_expired', from: microsoft },
  { code: 'AADSTS7000112', means: 'app_suspended', from: microsoft },
  { code: 'AADSTS50011', means: 'redirect_uri_rejected', from: microsoft },
  { code: 'AADSTS65001', means: 'admin_approval_needed', from: microsoft },
  { code: 'AADSTS90094', means: 'admin_approval_needed', from: microsoft },
  { code: 'AADSTS700082', means: 'grant_ended', from: microsoft },

  // docs.slack.dev/reference/methods/oauth.v2.access: with status 200.
  { code: 'bad_client_secret', means: 'client_rejected', from: slack },
  { code: 'invalid_client_id', means: 'client_rejected', from: slack },
  { code: 'bad_redirect_uri', means: 'redirect_uri_rejected', from: slack },
  { code: 'invalid_code', means: 'code_rejected', from: `${slack}, ${zoho}` },
  { code: 'invalid_refresh_token', means: 'grant_ended', from: slack },

  // docs.github.com, the pages on errors of authorization and of access token requests: with status 200.
  { code: 'incorrect_client_credentials', means: 'client_rejected', from: github },
  { code: 'application_suspended', means: 'app_suspended', from: github },
  { code: 'bad_verification_code', means: 'code_rejected', from: github },
  { code: 'bad_refresh_token', means: 'grant_ended', from: github },

  // developer.clickup.com/docs/common_errors.
  { code: 'OAUTH_010', means: 'client_rejected', from: clickup },
  { code: 'OAUTH_007', means: 'redirect_uri_rejected', from: clickup },
  { code: 'OAUTH_019', means: 'grant_ended', from: clickup },
]

const byCode = new Map(signals.map((signal) => [signal.code, signal]))

/** Microsoft says more in a number of its own than in `error`, so that goes first. Undefined if nothing is known. */
export function signalIn(error: string, description = ''): Signal | undefined {
  const [number] = /\bAADSTS\d{5,8}\b/.exec(description) ?? []
  return (number === undefined ? undefined : byCode.get(number)) ?? byCode.get(error)
}

/** The first signal that a page or an address names as a word. Errors of the RFC may stand on any page. */
export const signalOnPage = (text: string): Signal | undefined =>
  signals.find(({ code, from }) => from !== rfc && new RegExp(`(?<![\\w.])${code}(?![\\w])`).test(text))

/** Undefined for a signal that says nothing about how the client is registered. */
export const causeOf = (signal: Signal | undefined): Cause | undefined =>
  signal && signal.means !== 'code_rejected' && signal.means !== 'grant_ended' ? signal.means : undefined

/** They say that the client is refused, whatever the grant is like: the owner of the client has to act. */
export const clientCauses = ['client_rejected', 'client_secret_expired', 'app_suspended'] as const satisfies Cause[]

export const isClientCause = (cause: Cause): boolean => (clientCauses as readonly Cause[]).includes(cause)
