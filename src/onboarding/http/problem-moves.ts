import type { WhoseMove } from '../domain/cause.ts'
import type { FailureCode } from '../domain/failure.ts'

/** What a request lacks is for its sender to fix: mostly programs of tenants. */
const others: Partial<Record<FailureCode, Exclude<WhoseMove, 'tenant'>>> = {
  origin_foreign: 'user',
  console_off: 'operator',
  sign_in_needed: 'support',
  sign_in_failed: 'support',
  sign_in_unavailable: 'operator',
  sign_in_stale: 'support',
  sign_in_time_unknown: 'operator',
  role_missing: 'operator',
  key_limited: 'operator',
  workspace_unknown: 'operator',
  tenant_suspended: 'operator',
  integration_unavailable: 'operator',
  connect_ended: 'user',
  callback_malformed: 'user',
  callback_unknown: 'user',
  callback_foreign: 'user',
  provider_unavailable: 'provider',
  completion_early: 'user',
  link_not_endable: 'support',
  connection_limit: 'user',
  platform_unavailable: 'platform',
  backlog_full: 'platform',
  store_unavailable: 'operator',
  unexpected: 'operator',
}

/** Who has to act before the same request succeeds. */
export const problemMove = (code: FailureCode): WhoseMove => others[code] ?? 'tenant'
