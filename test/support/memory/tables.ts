// The ledger as maps. Rows are immutable.

import type { Secret } from '../../../src/kit/crypto/secret.ts'
import type { ApiKey } from '../../../src/onboarding/domain/api-key.ts'
import type { Campaign } from '../../../src/onboarding/domain/campaign.ts'
import type { ConnectSession } from '../../../src/onboarding/domain/connect-session.ts'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { ConnectionTask } from '../../../src/onboarding/domain/connection-task.ts'
import type { ManageSession } from '../../../src/onboarding/domain/end-users/manage-session.ts'
import type { HealthCheck } from '../../../src/onboarding/domain/health/health.ts'
import type { Import, ImportRow } from '../../../src/onboarding/domain/imports/import.ts'
import type { OAuthClient, OwnClient } from '../../../src/onboarding/domain/integration.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import type { RegisteredClient } from '../../../src/onboarding/domain/mcp/registered-client.ts'
import type { Erasure } from '../../../src/onboarding/domain/offboarding/erasure.ts'
import type { TenantDeletion } from '../../../src/onboarding/domain/offboarding/tenant-deletion.ts'
import type { CheckedRow } from '../../../src/onboarding/domain/ports/imports.ts'
import type { EscrowedGrant } from '../../../src/onboarding/domain/ports/provisioning.ts'
import type { Clock } from '../../../src/onboarding/domain/ports/shared.ts'
import type { StoredGrant } from '../../../src/onboarding/domain/stored-grant.ts'
import type { Tenant } from '../../../src/onboarding/domain/tenant.ts'
import type { OutsideCall } from '../../../src/onboarding/domain/trace/outside-call.ts'
import type { Delivery, OutboxEvent } from '../../../src/onboarding/domain/webhooks/delivery.ts'
import type { Webhook } from '../../../src/onboarding/domain/webhooks/webhook.ts'
import type { NotedEntry } from './audit.ts'

export type TenantRow = Tenant & {
  signingSecret: Secret | undefined
  next: { secret: Secret; activeFrom: Date } | undefined
}

export type DeletionRow = Omit<TenantDeletion, 'ageSeconds' | 'stepAgeSeconds'> & {
  stepSince: Date
  dueAt: Date | undefined
  claims: number
}

type LogoRow = { tenant: string; digest: string; png: Buffer }
export type ErasureRow = Omit<Erasure, 'stepAgeSeconds' | 'notifying'> & {
  stepSince: Date
  dueAt: Date | undefined
  claims: number
}

type ClientRow = OwnClient & { tenant: string; client: OAuthClient }

export type ApiKeyRow = ApiKey & { digest: string }

export type SessionRow = Omit<ConnectSession, 'linkId' | 'expired' | 'isPinned'> & { tokenDigest: string }

export type ManageSessionRow = Omit<ManageSession, 'expired'> & { tokenDigest: string; openUntil: Date }

export type LinkRow = Link & {
  wrongCompletions: number
  waitingCode: string | undefined
  /** Only this link may create a connection for its user and integration. */
  locksUser: boolean
  /** The lease. */
  dueAt: Date | undefined
  calls?: readonly OutsideCall[]
}

export type EscrowRow = EscrowedGrant & { fingerprint: string | undefined }

export type ConnectionRow = Connection & {
  lockedBy: string | undefined
  lockedUntil: Date | undefined
  healthDueAt: Date | undefined
  healthClaims: number
  toolListHash?: string | undefined
}

export type TaskRow = ConnectionTask & { dueAt: Date | undefined }

export type OutboxRow = OutboxEvent & { tenant: string; dueAt: Date | undefined; written: number }

export type WebhookRow = Omit<Webhook, 'previousSecretsExpireAt'> & {
  secret: string
  earlier: Array<{ secret: string; until: Date }>
}

export type DeliveryRow = Omit<Delivery, 'event'> & { eventId: string; fence: number; claims: number }

export type CampaignRow = Campaign & { sessions: Array<{ connectionId: string; sessionId: string }> }

export type ImportRowRow = Omit<ImportRow, 'linkState' | 'cause'> & CheckedRow & { tenant: string }

type IdempotencyRow = {
  digest: string
  seed: string | undefined
  answer: string | undefined
  fence: number
  begunAt: Date
}

export const emptyTables = () => ({
  tenants: new Map<string, TenantRow>(),
  deletions: new Map<string, DeletionRow>(),
  logos: new Map<string, LogoRow>(),
  erasures: new Map<string, ErasureRow>(),
  clients: new Map<string, ClientRow>(),
  registeredClients: new Map<string, RegisteredClient>(),
  apiKeys: new Map<string, ApiKeyRow>(),
  sessions: new Map<string, SessionRow>(),
  manageSessions: new Map<string, ManageSessionRow>(),
  links: new Map<string, LinkRow>(),
  escrow: new Map<string, EscrowRow>(),
  storedGrants: new Map<string, StoredGrant>(),
  connections: new Map<string, ConnectionRow>(),
  healthChecks: [] as HealthCheck[],
  tasks: new Map<string, TaskRow>(),
  outbox: new Map<string, OutboxRow>(),
  webhooks: new Map<string, WebhookRow>(),
  deliveries: new Map<string, DeliveryRow>(),
  imports: new Map<string, Import>(),
  importRows: new Map<string, ImportRowRow>(),
  campaigns: new Map<string, CampaignRow>(),
  idempotency: new Map<string, IdempotencyRow>(),
  audit: [] as NotedEntry[],
})

export type Tables = ReturnType<typeof emptyTables>

export type Store = { tables: Tables; now: Clock }

export const inSeconds = ({ now }: Pick<Store, 'now'>, seconds: number): Date =>
  new Date(now().getTime() + seconds * 1_000)

export const isPast = ({ now }: Pick<Store, 'now'>, at: Date | undefined): boolean => at !== undefined && at <= now()

export function change<T extends object>(rows: Map<string, T>, id: string, changes: Partial<T>): T | undefined {
  const row = rows.get(id)
  if (!row) return undefined
  const changed = { ...row, ...changes }
  rows.set(id, changed)
  return changed
}

export const emptyConnection = ({ now }: Pick<Store, 'now'>) => ({
  grantVersion: 0,
  checkedAt: undefined,
  relinkedAt: undefined,
  disconnectedAt: undefined,
  lockedBy: undefined,
  lockedUntil: undefined,
  createdAt: now(),
  updatedAt: now(),
})

export const turnedTo = (
  { now }: Pick<Store, 'now'>,
  known: Pick<ConnectionRow, 'status' | 'statusSince'> | undefined,
  status: ConnectionRow['status'],
) => ({ status, statusSince: known?.status === status ? known.statusSince : now() })

/** Byte order, like collation "C". */
export const byText =
  <T>(read: (row: T) => string) =>
  (a: T, b: T): number =>
    read(a) < read(b) ? -1 : read(a) > read(b) ? 1 : 0

export const byTime =
  <T>(read: (row: T) => Date | undefined) =>
  (a: T, b: T): number =>
    (read(a)?.getTime() ?? 0) - (read(b)?.getTime() ?? 0)

export function assertTenant({ tables }: Pick<Store, 'tables'>, id: string): void {
  if (!tables.tenants.has(id)) throw new Error(`a row refers to the tenant ${id}, which is not there`)
}
