// Errors in the formats of known providers. Codes and statuses are facts; the descriptions are our own words.
import type { Switches } from './switch-table.ts'

export const conditions = [
  'client_unknown',
  'secret_wrong',
  'secret_expired',
  'app_deleted',
  'app_suspended',
  'app_unverified',
  'app_internal',
  'admin_approval_needed',
  'redirect_uri_mismatch',
  'code_invalid',
  'grant_ended',
  'grant_idle',
  'request_invalid',
  'grant_type_unknown',
  'response_type_unknown',
  'scope_invalid',
  'consent_denied',
] as const
export type Condition = (typeof conditions)[number]

type ErrorAnswer = { status: number; body: Record<string, unknown> }

type Said = { status?: number; error: string; number?: number }
type Dialect = Partial<Record<Condition, Said>>

/** RFC 6749 §5.2 and §4.1.2.1, or the nearest code if the RFC defines no code. */
const rfc: Record<Condition, Said> = {
  client_unknown: { status: 401, error: 'invalid_client' },
  secret_wrong: { status: 401, error: 'invalid_client' },
  secret_expired: { status: 401, error: 'invalid_client' },
  app_deleted: { status: 401, error: 'invalid_client' },
  app_suspended: { error: 'unauthorized_client' },
  app_unverified: { error: 'access_denied' },
  app_internal: { error: 'access_denied' },
  admin_approval_needed: { error: 'access_denied' },
  redirect_uri_mismatch: { error: 'invalid_grant' },
  code_invalid: { error: 'invalid_grant' },
  grant_ended: { error: 'invalid_grant' },
  grant_idle: { error: 'invalid_grant' },
  request_invalid: { error: 'invalid_request' },
  grant_type_unknown: { error: 'unsupported_grant_type' },
  response_type_unknown: { error: 'unsupported_response_type' },
  scope_invalid: { error: 'invalid_scope' },
  consent_denied: { error: 'access_denied' },
}

const dialects: Record<Switches['errors'], Dialect> = {
  rfc: {},
  status_200: {},
  // support.google.com/accounts/answer/16668185; `disabled_client` and `deleted_client` as reported in
  // github.com/openpubkey/opkssh/issues/617 (September 2026) and prasmussen/gdrive/issues/646.
  google: {
    app_deleted: { status: 401, error: 'deleted_client' },
    app_suspended: { status: 401, error: 'disabled_client' },
    app_unverified: { status: 403, error: 'access_denied' },
    app_internal: { status: 403, error: 'org_internal' },
    admin_approval_needed: { error: 'admin_policy_enforced' },
    redirect_uri_mismatch: { error: 'redirect_uri_mismatch' },
  },
  // learn.microsoft.com/entra/identity-platform/reference-error-codes, read in November 2026.
  microsoft: {
    client_unknown: { error: 'unauthorized_client', number: 700016 },
    app_deleted: { error: 'unauthorized_client', number: 700016 },
    secret_wrong: { status: 401, error: 'invalid_client', number: 7000215 },
    secret_expired: { status: 401, error: 'invalid_client', number: 7000222 },
    app_suspended: { error: 'unauthorized_client', number: 7000112 },
    app_unverified: { error: 'consent_required', number: 65001 },
    admin_approval_needed: { error: 'access_denied', number: 90094 },
    redirect_uri_mismatch: { error: 'invalid_request', number: 50011 },
    code_invalid: { error: 'invalid_grant', number: 70000 },
    grant_ended: { error: 'invalid_grant', number: 70000 },
    grant_idle: { error: 'invalid_grant', number: 700082 },
  },
  // docs.slack.dev/reference/methods/oauth.v2.access, November 2026: the status is always 200.
  slack: {
    client_unknown: { error: 'invalid_client_id' },
    app_deleted: { error: 'invalid_client_id' },
    secret_wrong: { error: 'bad_client_secret' },
    secret_expired: { error: 'bad_client_secret' },
    redirect_uri_mismatch: { error: 'bad_redirect_uri' },
    code_invalid: { error: 'invalid_code' },
    grant_ended: { error: 'invalid_refresh_token' },
    grant_idle: { error: 'invalid_refresh_token' },
    grant_type_unknown: { error: 'invalid_grant_type' },
  },
  // docs.github.com, the pages on errors of authorization and access token requests, November 2026: the status is 200.
  github: {
    client_unknown: { error: 'incorrect_client_credentials' },
    app_deleted: { error: 'incorrect_client_credentials' },
    secret_wrong: { error: 'incorrect_client_credentials' },
    secret_expired: { error: 'incorrect_client_credentials' },
    app_suspended: { error: 'application_suspended' },
    redirect_uri_mismatch: { error: 'redirect_uri_mismatch' },
    code_invalid: { error: 'bad_verification_code' },
    grant_ended: { error: 'bad_refresh_token' },
    grant_idle: { error: 'bad_refresh_token' },
  },
  // A dead refresh token: github.com/raycast/extensions/issues/11836. No page of the vendor confirms that `access_denied`
  // means the client.
  atlassian: {
    client_unknown: { status: 401, error: 'access_denied' },
    secret_wrong: { status: 401, error: 'access_denied' },
    secret_expired: { status: 401, error: 'access_denied' },
    app_deleted: { status: 401, error: 'access_denied' },
    // github.com/atlassian/atlassian-mcp-server/issues/246 (September 2026): in the address of id.atlassian.com/error.
    redirect_uri_mismatch: { error: 'unauthorized_client' },
    grant_ended: { status: 403, error: 'unauthorized_client' },
    grant_idle: { status: 403, error: 'unauthorized_client' },
  },
  // The status is 200. `invalid_code` and `invalid_redirect_uri` are in Zoho's help (accounts/faqs/oauth); the words for
  // the secret are not confirmed.
  zoho: {
    code_invalid: { error: 'invalid_code' },
    grant_ended: { error: 'invalid_code' },
    grant_idle: { error: 'invalid_code' },
    secret_wrong: { error: 'invalid_client_secret' },
    secret_expired: { error: 'invalid_client_secret' },
    redirect_uri_mismatch: { error: 'invalid_redirect_uri' },
  },
  // developer.clickup.com/docs/common_errors: `err` and `ECODE` in place of `error`. OAUTH_014 is not confirmed.
  clickup: {
    client_unknown: { status: 401, error: 'OAUTH_010' },
    app_deleted: { status: 401, error: 'OAUTH_010' },
    secret_wrong: { status: 401, error: 'OAUTH_010' },
    secret_expired: { status: 401, error: 'OAUTH_010' },
    redirect_uri_mismatch: { error: 'OAUTH_007' },
    code_invalid: { status: 401, error: 'OAUTH_014' },
    grant_ended: { status: 401, error: 'OAUTH_019' },
    grant_idle: { status: 401, error: 'OAUTH_019' },
  },
}

const alwaysOk: ReadonlySet<Switches['errors']> = new Set(['status_200', 'slack', 'github', 'zoho'])

export function errorAnswer(condition: Condition, switches: Switches): ErrorAnswer {
  const said = spoken(condition, switches)
  const status = alwaysOk.has(switches.errors) ? 200 : (said.status ?? 400)
  return { status: overriddenStatus(condition, switches) ?? status, body: bodyOf(said, condition, switches.errors) }
}

export const errorCode = (condition: Condition, switches: Switches): string => spoken(condition, switches).error

/** Includes the provider's error number, as its pages do. */
export function errorWords(condition: Condition, switches: Switches): string {
  const { error, number } = spoken(condition, switches)
  const status = switches.errors === 'google' ? `Error ${dialects.google[condition]?.status ?? 400}: ` : ''
  return number === undefined ? `${status}${error}` : `AADSTS${number}`
}

function spoken(condition: Condition, switches: Switches): Said {
  const said = dialects[switches.errors][condition] ?? rfc[condition]
  const other = isBrokenGrant(condition) ? switches.broken_grant_error : undefined
  const client = isClient(condition) ? switches.client_error : undefined
  return { ...said, error: other ?? client ?? said.error }
}

const overriddenStatus = (condition: Condition, switches: Switches): number | undefined =>
  (isBrokenGrant(condition) ? switches.broken_grant_status : undefined) ??
  (isClient(condition) ? switches.client_error_status : undefined)

const isBrokenGrant = (condition: Condition) => condition === 'grant_ended' || condition === 'grant_idle'
const isClient = (condition: Condition) => ['client_unknown', 'secret_wrong', 'secret_expired'].includes(condition)

function bodyOf({ error, number }: Said, condition: Condition, dialect: Switches['errors']): Record<string, unknown> {
  const description = condition.replaceAll('_', ' ')
  if (dialect === 'slack') return { ok: false, error }
  if (dialect === 'clickup') return { err: description, ECODE: error }
  if (number === undefined) return { error, error_description: description }
  return { error, error_description: `AADSTS${number}: ${description}`, error_codes: [number] }
}
