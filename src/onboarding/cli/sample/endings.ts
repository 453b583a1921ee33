// How links of the sample end: every cause has its place, so that each can be found and looked at in the console.
import type { Cause } from '../../domain/cause.ts'
import type { LinkState, ProvisioningState } from '../../domain/link.ts'

/** `relink`: only a link that mends a connection ends so. `weight`: among a thousand that do not end well. */
type Ending = { state: LinkState; weight: number; resumeFrom?: ProvisioningState; relink?: true }

const rare = 5

export const endings: Record<Cause, Ending> = {
  consent_denied: { state: 'denied', weight: 220 },
  user_cancelled: { state: 'cancelled', weight: 90 },
  session_expired: { state: 'abandoned', weight: 180 },
  completion_missing: { state: 'abandoned', weight: 30 },
  session_cancelled: { state: 'abandoned', weight: 10 },
  callback_missing: { state: 'abandoned', weight: rare },
  provider_unavailable: { state: 'failed', weight: 80 },
  scope_missing: { state: 'failed', weight: 60 },
  no_refresh_token: { state: 'failed', weight: 45 },
  admin_approval_needed: { state: 'failed', weight: 40 },
  code_refused: { state: 'failed', weight: 30 },
  already_connected: { state: 'failed', weight: 30 },
  app_unverified: { state: 'failed', weight: 25 },
  connection_limit: { state: 'failed', weight: 15 },
  account_mismatch: { state: 'failed', weight: 10, relink: true },
  grant_unusable: { state: 'failed', weight: 10, relink: true },
  connection_gone: { state: 'failed', weight: rare, relink: true },
  consent_failed: { state: 'failed', weight: 10 },
  completion_refused: { state: 'failed', weight: rare },
  callback_rejected: { state: 'failed', weight: rare },
  client_rejected: { state: 'failed', weight: rare },
  mcp_issuer_unexpected: { state: 'failed', weight: rare },
  request_rejected: { state: 'failed', weight: rare },
  redirect_uri_rejected: { state: 'failed', weight: rare },
  client_forgotten: { state: 'failed', weight: rare },
  client_registration_refused: { state: 'failed', weight: rare },
  mcp_server_unprotected: { state: 'failed', weight: rare },
  mcp_metadata_unusable: { state: 'failed', weight: rare },
  client_secret_expired: { state: 'failed', weight: rare },
  app_suspended: { state: 'failed', weight: rare },
  answer_malformed: { state: 'failed', weight: rare },
  identity_invalid: { state: 'failed', weight: rare },
  refresh_tokens_off: { state: 'failed', weight: rare },
  refresh_tokens_not_approved: { state: 'failed', weight: rare },
  import_account_mismatch: { state: 'failed', weight: rare },
  grant_revoked: { state: 'failed', weight: rare },
  profile_mismatch: { state: 'failed', weight: rare },
  check_held_back: { state: 'failed', weight: rare },
  refresh_refused: { state: 'failed', weight: rare },
  scope_insufficient: { state: 'failed', weight: rare },
  exchange_unknown: { state: 'exchange_unknown', weight: 15 },
  // These stay until somebody looks at them, so each is there once, and not for long.
  platform_refused: { state: 'needs_attention', weight: 0, resumeFrom: 'escrowed' },
  platform_misconfigured: { state: 'needs_attention', weight: 0, resumeFrom: 'escrowed' },
  address_blocked: { state: 'needs_attention', weight: 0, resumeFrom: 'escrowed' },
  function_failed: { state: 'needs_attention', weight: 0, resumeFrom: 'function_ready' },
  name_taken: { state: 'needs_attention', weight: 0, resumeFrom: 'escrowed' },
  worker_crashed: { state: 'needs_attention', weight: 0, resumeFrom: 'connection_ready' },
  answer_unreadable: { state: 'needs_attention', weight: 0, resumeFrom: 'escrowed' },
  integration_removed: { state: 'needs_attention', weight: 0, resumeFrom: 'escrowed' },
  sealed_unreadable: { state: 'needs_attention', weight: 0, resumeFrom: 'escrowed' },
  relink_rolled_back: { state: 'failed', weight: rare, relink: true },
  // A worker tries these again by itself.
  platform_unavailable: { state: 'escrowed', weight: 0 },
  connection_busy: { state: 'testing', weight: 0, relink: true },
}
