// Microsoft asks clients not to depend on its codes (read in November 2026), so unlisted codes mean nothing.
import { type Cause, causeCodes, causeEntry } from '../cause.ts'

/** `code_rejected`: the client was accepted, the authorization code was not. `grant_ended`: a refresh token is dead. */
type SignalMeaning = Cause | 'code_rejected' | 'grant_ended'

export type Signal = {
  code: string
  means: SignalMeaning
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
  { code: 'invalid_scope', means: 'request_rejected', from: rfc },
  { code: 'unsupported_response_type', means: 'request_rejected', from: rfc },
  { code: 'unsupported_grant_type', means: 'request_rejected', from: rfc },
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

  // help.zoho.com/portal/en/kb/accounts/faqs-troubleshooting/faqs/oauth/articles/invalid-code-redirect-uri; RFC 7591 §3.2.2.
  { code: 'invalid_redirect_uri', means: 'redirect_uri_rejected', from: zoho },

  // developer.clickup.com/docs/common_errors.
  { code: 'OAUTH_010', means: 'client_rejected', from: clickup },
  { code: 'OAUTH_007', means: 'redirect_uri_rejected', from: clickup },
  { code: 'OAUTH_019', means: 'grant_ended', from: clickup },
]

const byCode = new Map(signals.map((signal) => [signal.code, signal]))

/** The number of Microsoft says more than `error`, so it is checked first. */
export function signalIn(error: string, description = ''): Signal | undefined {
  const [number] = /\bAADSTS\d{5,8}\b/.exec(description) ?? []
  return (number === undefined ? undefined : byCode.get(number)) ?? byCode.get(error)
}

/** Skips RFC errors: they may appear as words on any page. */
export const signalOnPage = (text: string): Signal | undefined =>
  signals.find(({ code, from }) => from !== rfc && new RegExp(`(?<![\\w.])${code}(?![\\w])`).test(text))

export const causeOf = (signal: Signal | undefined): Cause | undefined =>
  signal && signal.means !== 'code_rejected' && signal.means !== 'grant_ended' ? signal.means : undefined

/** The provider rejects the client regardless of the grant. The owner of the client has to act. */
export const isClientCause = (cause: Cause): boolean => causeEntry(cause).faultOf === 'client'

export const clientCauses = causeCodes.filter(isClientCause)
