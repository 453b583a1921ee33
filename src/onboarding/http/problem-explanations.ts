// What each failure means and what to do about it, for whoever writes a program against the API. The page /docs shows
// them, where the `type` of a problem leads, and docs/reference/problems.md says the same; a test holds them together.
import type { FailureCode } from '../domain/failure.ts'

/** Backticks mark code, as in Markdown. */
export const problemExplanations: Record<FailureCode, string> = {
  input_invalid:
    'A member of the request is not valid. `errors` names each by JSON pointer; it is missing where only the database could tell, as with a zero byte or half a character in a text. Correct it and send again.',
  body_unreadable: 'The body is not JSON. Nothing was done.',
  body_too_large: 'The body is over 32 kB. Nothing of ours needs that much.',
  content_type_unsupported: 'Send `Content-Type: application/json`, in UTF-8 and not compressed.',
  method_not_allowed: '`Allow` in the answer lists the methods this address takes.',
  not_found: 'There is no such thing, or it belongs to another tenant: both are answered alike.',
  credential_invalid:
    'The API key is missing, wrong or revoked. Send `Authorization: Bearer cwk_…`; keys are made by `npm run causeway -- keys create`.',
  origin_foreign:
    'A form was sent from another site. A person sees it when a page of another site tried to act for them.',
  console_off:
    'This installation has no support console: nobody can sign in, because neither `CONSOLE_CLIENT_ID` nor `CONSOLE_CLIENT_SECRET` nor `CONSOLE_ISSUER` is set.',
  sign_in_needed:
    'The session in the support console has ended: it was idle for 15 minutes or open for eight hours, somebody signed out everywhere, or the account lost its role. Sign in again; nothing was done.',
  sign_in_failed:
    'Signing in to the support console came to nothing: it was cancelled, took longer than ten minutes, or the answer was not the one to our question. Start again.',
  sign_in_stale:
    'Changing something asks for a sign-in within the last 15 minutes. Sign in again, then do it once more.',
  sign_in_time_unknown:
    "Changing something asks for a sign-in within the last 15 minutes, and the console's issuer does not say when that was: its identity tokens lack `auth_time`. Whoever runs the issuer has to send it; then sign in again.",
  role_missing: 'The account may not do this in the support console: it has no role there, or one that may only look.',
  key_limited: 'The key is limited to one tenant and may not change tenants. Use a key of the deployment.',
  workspace_taken: 'Another tenant already has this workspace.',
  tenant_exists: 'There is, or was, a tenant with this id. Send none to get one, or change the tenant with `PATCH`.',
  tenant_deleted:
    'The tenant is being deleted or was deleted. Nothing can be started for it or changed. Its id stays taken, because the audit log refers to it.',
  session_started: 'The connect session was started, so it can no longer be cancelled. Read its link instead.',
  integration_unavailable:
    'Neither the deployment nor the tenant has an OAuth client for this integration. Configure one.',
  connect_ended:
    'The address was used, has expired or was withdrawn, or it was never one. The user starts again where they came from.',
  callback_malformed:
    "A provider's answer has doubled, missing or forbidden parameters. The user starts again; if it happens again, look at the provider.",
  callback_unknown: 'The state of the authorization was used, has expired, or is not ours. The user starts again.',
  callback_foreign:
    'The answer came to another browser than the one that set out, or from another provider than the one that was asked. The audit says which.',
  completion_early: 'The browser has not come back yet. Complete when it does.',
  completion_refused: 'The completion code or the verifier is wrong. After five wrong ones the link is void.',
  completion_used: 'The link was already completed. Read it to see how it went.',
  completion_late: 'The link has ended. Read it to see why, and start a new one.',
  provider_unavailable: "The provider's metadata could not be read, so no authorization was started. Try again later.",
  idempotency_key_reused: 'The `Idempotency-Key` was used for another request. Use a new one.',
  idempotency_key_busy:
    'The first request with this `Idempotency-Key` still runs. Send the same again in a moment; if the process that had it died, the key is free after a minute.',
  rate_limited: 'Too many requests. `Retry-After` says how many seconds to wait.',
  link_not_resumable:
    'The link neither needs attention nor waits for its next try: it has ended, waits for the user, or somebody is at it this very moment.',
  connection_busy:
    'A re-link, a roll back or a disconnect of this connection is under way. Wait until it has ended, then ask again.',
  connection_disconnected: 'The connection was disconnected, so there is nothing left to mend. Link the account anew.',
  rollback_impossible:
    'There is no grant to go back to: none was kept, its time is over, the provider has replaced it since, or it belongs to another OAuth client or another account. The detail says which.',
  campaign_empty:
    'No connection needs a re-link for this cause, within what was asked for, or each already has an address of a campaign that still works. Nothing was minted. Where its file was lost, cancel that campaign first.',
  platform_unavailable: 'The function of the connection does not answer. A check of its health says more.',
  backlog_full:
    'The tenant has too many links waiting for the platform. New ones are taken when those are through; `Retry-After` is a guess.',
  webhook_limit: 'The tenant has as many webhooks as it may have. Delete one.',
  webhook_secret_limit:
    'The secret was rotated five times within a day, and the five before it still sign. The detail says when the oldest of them ends.',
  webhook_disabled: 'The webhook was disabled, for example because its receiver answered 410. Enable it, then replay.',
  store_unavailable:
    'The database or Redis does not answer. Nothing was started that could be lost; try again after `Retry-After`.',
  unexpected: 'A bug of ours. Tell the maintainers the `instance` of the answer; the log has its place under that id.',
}
