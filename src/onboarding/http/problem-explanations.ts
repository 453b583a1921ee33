// What each failure means and what to do about it, for developers who use the API. The page /docs/reference/errors shows
// them, where the `type` of a problem leads, and docs/reference/problems.md says the same; a test compares them.
import type { FailureCode } from '../domain/failure.ts'

/** Backticks mark code, as in Markdown. */
export const problemExplanations: Record<FailureCode, string> = {
  input_invalid:
    'The request has an invalid member, parameter or header. `errors` names each one: a member of the body by JSON pointer, a parameter of the query or the path by `parameter`, a header by `header`; also a text that no database can hold, with a zero byte or half a character. Correct it and send it again.',
  body_unreadable: 'The body is not JSON, or is JSON but no object. Nothing was done.',
  body_too_large: 'The body is over 32 kB, or over 1 MB for rows of an import and logos. `detail` names the limit.',
  content_type_unsupported: 'Send `Content-Type: application/json`, in UTF-8 and not compressed.',
  method_not_allowed: '`Allow` in the response lists the methods this path accepts.',
  not_found: 'The resource does not exist, or belongs to another tenant. The response is the same for both.',
  credential_invalid:
    'The API key is missing, wrong, revoked or expired. Send `Authorization: Bearer cwk_…`; keys are created with `npm run causeway -- keys create`.',
  origin_foreign:
    'A form was sent from another site. People see this if a page of another site tried to act in their name.',
  console_off:
    'This installation has no support console: neither `CONSOLE_CLIENT_ID` nor `CONSOLE_CLIENT_SECRET` nor `CONSOLE_ISSUER` is set, so signing in is not possible.',
  sign_in_needed:
    'The session in the support console has ended: it was idle for 15 minutes or open for eight hours, the user signed out everywhere, or the account lost its role. Sign in again; nothing was changed.',
  sign_in_failed:
    'Signing in to the support console failed: it was cancelled, took longer than ten minutes, or the response did not belong to the request. Start again.',
  sign_in_unavailable:
    'The issuer that the support console signs people in at (`CONSOLE_ISSUER`) cannot be reached, or sends no metadata that we can use. The detail says which.',
  sign_in_stale: 'Changes need a sign-in within the last 15 minutes. Sign in again, then retry.',
  sign_in_time_unknown:
    "Changes need a sign-in within the last 15 minutes, and the console's issuer does not say when that was: its identity tokens lack `auth_time`. Configure the issuer to send it, then sign in again.",
  role_missing: 'The account may not do this in the support console: it has no role there, or one that is read-only.',
  key_limited: 'The key is limited to one tenant and may not change tenants. Use a key of the deployment.',
  workspace_taken: 'Another tenant already has this workspace.',
  workspace_unknown:
    'The platform has no workspace of this name that the deployment’s key can enter. Create it there, or correct the name. While the platform is not responding, a tenant is accepted without this check: nothing else depends on it, and its links wait.',
  tenant_exists:
    'A tenant with this id exists or existed. Omit the id to get a new one, or change the tenant with `PATCH`.',
  tenant_suspended:
    'The operator suspended the tenant: nothing new can be started for it. What it has goes on. Ask the operator of the deployment.',
  tenant_deleted:
    'The tenant is being deleted or was deleted. Nothing can be started for it or changed. Its id cannot be reused, because the audit log refers to it.',
  session_started: 'The connect session was started, so it can no longer be cancelled. Read its link instead.',
  integration_unavailable:
    'Neither the deployment nor the tenant has an OAuth client for this integration. Configure one.',
  connect_ended:
    'The connect URL was used, has expired, was cancelled, or never existed. The user starts again from the application they came from.',
  callback_malformed:
    "A provider's response has repeated, missing or forbidden parameters. The user starts again; if it happens again, look into the provider.",
  callback_unknown: 'The OAuth state was used, has expired, or is unknown. The user starts again.',
  callback_foreign:
    'The response arrived in a different browser than the one that started, or from a different provider than the one that was asked. The audit says which.',
  completion_early: 'The browser has not returned yet. Complete the session when it does.',
  completion_refused: 'The completion code or the verifier is wrong. After five wrong attempts the link is void.',
  completion_used: 'The link was already completed. Read it to see the outcome.',
  completion_late: 'The link has ended. Read it to see why, and start a new one.',
  provider_unavailable: "The provider's metadata could not be read, so no authorization was started. Try again later.",
  idempotency_key_reused: 'The `Idempotency-Key` was used for another request. Use a new one.',
  idempotency_key_busy:
    'The first request with this `Idempotency-Key` is still running. Send the same request again shortly; if the process that ran it died, the key is free after a minute.',
  rate_limited:
    'Too many requests. `Retry-After` says how many seconds to wait. All keys of a tenant share one limit for the API, and some calls have a narrower one.',
  link_not_resumable:
    'The link neither needs attention nor waits for a retry: it has ended, waits for the user, or is being processed right now.',
  link_not_endable:
    'The link does not need attention, or its grant may be the one in use. Only support ends a link, in the console.',
  connection_busy:
    'A re-link, rollback or disconnect of this connection is in progress. Wait until it has finished, then try again.',
  connection_disconnected: 'The connection was disconnected. Link the account again.',
  tool_list_outdated:
    'The MCP server has changed its tools since you read the list, or the change was approved already. Read the list again before you approve it.',
  rollback_impossible:
    'There is no grant to return to: none was stored, it has expired, the provider has since replaced it, or it belongs to another OAuth client or account. The detail says which.',
  campaign_empty:
    'No connection needs a re-link for this cause and filter, or each already has a working URL of another campaign. Nothing was created. If the file of that campaign was lost, cancel it first.',
  import_cancelled: 'The import was cancelled and takes no more rows. Create another one.',
  not_in_test_mode:
    'The key or the tenant is of test mode, where the platform is not used and functions do not run. Try it with a live key.',
  test_mode_only: 'The tenant is a live one, and this is for tenants of test mode alone. Use a key of test mode.',
  platform_unavailable: 'The function of the connection is not responding. A health check says more.',
  backlog_full:
    'The tenant has too many links waiting for the platform. New ones are accepted when those are done; `Retry-After` is an estimate.',
  connection_limit:
    'The user has as many connections to this integration as the tenant allows (`maxConnectionsPerUser`). Disconnect one, or create the session with `ifConnected: relink` to renew one of them.',
  webhook_limit: 'The tenant has reached its limit of webhooks. Delete one.',
  webhook_secret_limit:
    'The secret was rotated five times within a day, and the five previous ones still sign. The detail says when the oldest of them expires.',
  webhook_disabled:
    'The webhook was disabled, for example because its receiver responded with 410. Enable it, then replay.',
  store_unavailable:
    'The database or Redis is not responding. Nothing was started that could be lost; try again after `Retry-After`.',
  unexpected:
    'An internal error. Send the maintainers the `instance` of the response; the log has an entry with that id.',
}
