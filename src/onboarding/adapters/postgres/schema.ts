// The tables as the query layer sees them; migrations/ makes them.
import type { ColumnType, Generated, JSONColumnType } from 'kysely'
import type { Cause } from '../../domain/cause.ts'
import type { ConnectionStatus } from '../../domain/connection.ts'
import type { EndUser, LinkState, ProvisioningState } from '../../domain/link.ts'
import type { TenantEventName } from '../../domain/ports.ts'
import type { DeliveryStatus, DeliveryTrouble, WebhookStatus } from '../../domain/webhook.ts'

type Defaulted<T> = ColumnType<T, T | undefined, T>

export type LedgerSchema = {
  tenants: {
    id: string
    workspace: string
    display_name: string
    return_urls: string[]
    signing_secret: string
    created_at: Generated<Date>
    updated_at: Defaulted<Date>
  }
  tenant_oauth_clients: {
    tenant: string
    integration: string
    client_id: string
    client_secret: string | null
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
    return_url: string
    completion_challenge: string | null
    expires_at: Date
    cancelled_at: Date | null
    created_at: Generated<Date>
  }
  links: LinkTable
  escrow: { link_id: string; sealed: string; fingerprint: string | null; created_at: Generated<Date> }
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
  webhook_deliveries: DeliveryTable
  idempotency_keys: { id: string; digest: string; answer: string | null; begun_at: Defaulted<Date> }
  audit: {
    id: Generated<number>
    at: Generated<Date>
    action: string
    actor_kind: string
    actor_id: string | null
    tenant: string | null
    link: string | null
    connection: string | null
    reason: string | null
    request_id: string | null
    address: string | null
  }
}

export type LinkTable = {
  id: string
  session_id: string
  tenant: string
  workspace: string
  integration: string
  end_user: JSONColumnType<EndUser>
  return_url: string
  completion_challenge: string | null
  browser: string
  state: LinkState
  cause: Cause | null
  stopped_at: ProvisioningState | null
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
  fence: Generated<number>
  wrong_completions: Generated<number>
  held_code: string | null
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
  cause: Cause | null
  end_user_id: string
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
  previous_secret: string | null
  previous_secret_until: Date | null
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
  answered_status: number | null
  trouble: DeliveryTrouble | null
  due_at: Defaulted<Date | null>
  delivered_at: Date | null
  created_at: Generated<Date>
}
