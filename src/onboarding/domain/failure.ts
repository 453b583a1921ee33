// What a caller is told, as a closed list. A code learns its HTTP status only at the edge (http/problem.ts).
import type { InputError } from './input-error.ts'

export const failureCodes = [
  'input_invalid',
  'body_unreadable',
  'body_too_large',
  'content_type_unsupported',
  'method_not_allowed',
  'not_found',
  'credential_invalid',
  'origin_foreign',
  'console_off',
  'sign_in_needed',
  'sign_in_failed',
  'sign_in_unavailable',
  'sign_in_stale',
  'sign_in_time_unknown',
  'role_missing',
  'key_limited',
  'workspace_taken',
  'workspace_unknown',
  'tenant_exists',
  'tenant_suspended',
  'tenant_deleted',
  'session_started',
  'integration_unavailable',
  'connect_ended',
  'callback_malformed',
  'callback_unknown',
  'callback_foreign',
  'completion_early',
  'completion_refused',
  'completion_used',
  'completion_late',
  'provider_unavailable',
  'idempotency_key_reused',
  'idempotency_key_busy',
  'rate_limited',
  'link_not_resumable',
  'link_not_endable',
  'connection_busy',
  'connection_disconnected',
  'tool_list_outdated',
  'rollback_impossible',
  'campaign_empty',
  'import_cancelled',
  'not_in_test_mode',
  'test_mode_only',
  'platform_unavailable',
  'backlog_full',
  'connection_limit',
  'webhook_limit',
  'webhook_secret_limit',
  'webhook_disabled',
  'store_unavailable',
  'unexpected',
] as const

export type FailureCode = (typeof failureCodes)[number]

/** `detail` is for the person or program that asked; `cause` is for us and is never shown. */
export class Failure extends Error {
  constructor(
    readonly code: FailureCode,
    readonly detail: string,
    readonly more: FailureDetails = {},
  ) {
    super(`${code}: ${detail}`, { cause: more.cause })
  }
}

export type FailureDetails = {
  errors?: InputError[]
  retryAfterSeconds?: number
  cause?: unknown
  /** Which words a page has for it where the code alone does not tell people enough. */
  variant?: FailureVariant
  /** Whose thing a caller reached for. For the record; the caller is not told that it exists. */
  owner?: string
}

/** `cookie_missing`: the browser sent no cookie of ours. `other_app`: what came back is another app's. */
export type FailureVariant = 'cookie_missing' | 'other_app'

export const requestInvalid = (...errors: InputError[]) =>
  new Failure('input_invalid', 'The request is not valid. `errors` says where.', { errors })

/** Somebody else's thing is answered exactly like a missing one. */
export const missing = (what: string, owner?: string) =>
  new Failure('not_found', `There is no such ${what}.`, owner === undefined ? {} : { owner })
