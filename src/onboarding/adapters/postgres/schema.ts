// The tables as the query layer sees them; migrations/ makes them.
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Actor } from '../../domain/audit/audit.ts'
import type { Cause } from '../../domain/cause.ts'
import type { ConnectionStatus } from '../../domain/connection.ts'
import type { TaskKind, TaskNotes, TaskStep } from '../../domain/connection-task.ts'
import type { HealthOutcome } from '../../domain/health.ts'
import type { EndUser, LinkState, ProvisioningState } from '../../domain/link.ts'
import type { GrantSlot } from '../../domain/stored-grant.ts'
import type { TenantStatus } from '../../domain/tenant.ts'
import type { DeletionStep } from '../../domain/tenant-deletion.ts'
import type { TenantEventName } from '../../domain/tenant-event.ts'
import type { DeliveryFailureReason, DeliveryStatus, WebhookStatus } from '../../domain/webhook.ts'

type Defaulted<T> = ColumnType<T, T | undefined, T>

export type LedgerSchema = {
  tenants: {
    id: string
    workspace: string
    display_name: string
    return_urls: string[]
    status: Defaulted<TenantStatus>
    signing_secret: string | null
    next_signing_secret: string | null
    next_active_from: Date | null
    created_at: Generated<Date>
    updated_at: Defaulted<Date>
  }
  tenant_deletions: {
    tenant: string
    step: DeletionStep
    actor: JSONColumnType<Actor>
    fence: Generated<number>
    due_at: Date | null
    step_since: Generated<Date>
    created_at: Generated<Date>
    updated_at: Defaulted<Date>
  }
  tenant_oauth_clients: {
    tenant: string
    integration: string
    client_id: string
    client_secret: string | null
    created_at: Generated<Date>
    updated_at: Defaulted<Date>
  }
  api_keys: {
    id: string
    digest: string
    name: string
    tenant: string | null
    last_four: string
    created_at: Generated<Date>
    revoked_at: Date | null
  }
  connect_sessions: {
    id: string
    token_digest: string
    tenant: string
    integration: string
    end_user: JSONColumnType<EndUser>
    return_url: string | null
    completion_challenge: string | null
    connection_id: string | null
    allow_other_account: Generated<boolean>
    expires_at: Date
    cancelled_at: Date | null
    created_at: Generated<Date>
  }
  links: LinkTable
  escrow: EscrowTable
  connections: ConnectionTable
  outbox: {
    id: string
    tenant: string
    event: string
    payload: JSONColumnType<object>
    created_at: Generated<Date>
    due_at: Defaulted<Date | null>
    attempts: Generated<number>
  }
  webhooks: WebhookTable
  earlier_webhook_secrets: { id: Generated<string>; webhook: string; secret: string; until: Date }
  webhook_deliveries: DeliveryTable
  idempotency_keys: {
    id: string
    digest: string
    seed: string | null
    fence: Generated<number>
    answer: string | null
    begun_at: Defaulted<Date>
  }
  audit: {
    id: Generated<number>
    at: Generated<Date>
    action: string
    subject_kind: string | null
    subject_id: string | null
    facts: Json
    actor_kind: string
    actor_id: string | null
    actor_name: string | null
    tenant: string | null
    link: string | null
    connection: string | null
    reason: string | null
    request_id: string | null
    address: string | null
    before: Json | null
    after: Json | null
  }
  stored_grants: StoredGrantTable
  health_checks: HealthCheckTable
  connection_tasks: TaskTable
  campaigns: CampaignTable
  campaign_members: { campaign: string; connection_id: string; session_id: string }
}

type Json = ColumnType<Record<string, unknown>, string, never>

type EscrowTable = {
  link_id: string
  sealed: string
  trial_refresh: string | null
  fingerprint: string | null
  created_at: Generated<Date>
}

export type LinkTable = {
  id: string
  session_id: string
  tenant: string
  workspace: string
  integration: string
  end_user: JSONColumnType<EndUser>
  return_url: string | null
  completion_challenge: string | null
  relink: Generated<boolean>
  allow_other_account: Generated<boolean>
  browser: string
  state: LinkState
  cause: Cause | null
  resume_from: ProvisioningState | null
  forced_consent: Generated<boolean>
  missing_scopes: Defaulted<string[]>
  granted_scopes: string[] | null
  account_id: string | null
  account_label: string | null
  connection_id: string
  connection_name: string
  function_name: string
  function_url: string | null
  attempts: Generated<number>
  next_try_at: Date | null
  fence: Generated<number>
  takeovers: Generated<number>
  wrong_completions: Generated<number>
  waiting_code: string | null
  due_at: Date | null
  created_at: Generated<Date>
  updated_at: Defaulted<Date>
}

export type ConnectionTable = {
  id: string
  tenant: string
  workspace: string
  integration: string
  name: string
  function_name: string
  function_url: string
  account_id: string | null
  account_label: string | null
  scopes: string[]
  status: ConnectionStatus
  status_since: Generated<Date>
  cause: Cause | null
  end_user_id: string
  grant_version: Generated<number>
  locked_by: string | null
  locked_until: Date | null
  health_due_at: Date | null
  checked_at: Date | null
  relinked_at: Date | null
  disconnected_at: Date | null
  created_at: Generated<Date>
  updated_at: Defaulted<Date>
}

export type WebhookTable = {
  id: string
  tenant: string
  url: string
  events: TenantEventName[]
  status: Defaulted<WebhookStatus>
  secret: string
  created_at: Generated<Date>
  updated_at: Defaulted<Date>
}

export type DeliveryTable = {
  id: string
  webhook: string
  event: string
  tenant: string
  status: Defaulted<DeliveryStatus>
  attempts: Generated<number>
  fence: Generated<number>
  response_status: number | null
  failure_reason: DeliveryFailureReason | null
  due_at: Defaulted<Date | null>
  delivered_at: Date | null
  created_at: Generated<Date>
}

export type StoredGrantTable = {
  link_id: string
  connection_id: string
  slot: GrantSlot
  sealed: string | null
  trial_refresh: string | null
  fingerprint: string | null
  client_id: string | null
  rotates: Generated<boolean>
  keep_until: Date | null
  created_at: Generated<Date>
}

export type HealthCheckTable = {
  id: Generated<number>
  connection_id: string
  at: Generated<Date>
  outcome: HealthOutcome
  cause: Cause | null
  duration_ms: number
  actor_kind: Actor['kind']
}

export type TaskTable = {
  id: string
  connection_id: string
  kind: TaskKind
  step: TaskStep
  reason: string
  actor: JSONColumnType<Actor>
  notes: JSONColumnType<TaskNotes>
  cause: Cause | null
  attempts: Generated<number>
  fence: Generated<number>
  due_at: Date | null
  created_at: Generated<Date>
  updated_at: Defaulted<Date>
}

export type CampaignTable = {
  id: string
  cause: Cause
  tenant: string | null
  integration: string | null
  reason: string
  actor_kind: Actor['kind']
  actor_id: string | null
  actor_name: string | null
  members: number
  expires_at: Date
  cancelled_at: Date | null
  created_at: Generated<Date>
}
