import type { Secret } from '../../../kit/crypto/secret.ts'
import type { AuditEntry, EntryOf } from '../audit/audit-entry.ts'
import type { TenantEvent, TenantEventName } from '../tenant-event.ts'
import type { Delivery, DeliveryFailureReason, DeliveryStatus, OutboxEvent, SendResult } from '../webhooks/delivery.ts'
import type { Webhook } from '../webhooks/webhook.ts'
import type { Page } from './shared.ts'

export type Webhooks = {
  create(webhook: NewWebhook, sealedSecret: string, max: number, audit: AuditEntry): Promise<Webhook | undefined>
  find(tenant: string, id: string): Promise<Webhook | undefined>
  list(tenant: string): Promise<Webhook[]>
  delete(tenant: string, id: string, audit: AuditEntry): Promise<boolean>
  /** Earlier secrets sign until they expire. False if there is no such webhook, or it has too many secrets. */
  rotateSecret(at: WebhookAt, sealedSecret: string, rotation: SecretRotation, audit: AuditEntry): Promise<boolean>
  forgetSecrets(): Promise<void>
  enable(at: WebhookAt, audit: AuditEntry): Promise<boolean>
  disable(at: WebhookAt, audit: AuditEntry): Promise<boolean>
}

type SecretRotation = { overlapSeconds: number; maxEarlier: number }

export type WebhookAt = Pick<Webhook, 'tenant' | 'id'>

type NewWebhook = WebhookAt & { url: string; events: TenantEventName[] }

export type Deliveries = {
  announce(limit: number): Promise<number>
  claimDue(query: DueDeliveries): Promise<ClaimedDelivery[]>
  delivered(claimed: ClaimedDelivery, responseStatus: number): Promise<void>
  postpone(claimed: ClaimedDelivery, outcome: FailedAttempt & { delaySeconds: number }): Promise<void>
  markDead(claimed: ClaimedDelivery, outcome: FailedAttempt): Promise<void>
  find(tenant: string, id: string): Promise<Delivery | undefined>
  list(query: DeliveryQuery): Promise<Page<Delivery>>
  /** Restarts with the first attempt. False if the endpoint is disabled. */
  replay(tenant: string, id: string, audit: AuditEntry): Promise<boolean>
  /** Restarts dead deliveries, oldest first. Returns their number: 0 if the endpoint is disabled. */
  replayDead(webhook: WebhookAt, limit: number, audit: AuditEntry): Promise<number>
  forgetOld(days: number, limit: number): Promise<number>
}

export type DueDeliveries = {
  limit: number
  perTenant: number
  underWay: Readonly<Record<string, number>>
  /** Max deliveries that may have crashed a worker. Default: 1. */
  suspects?: number
}

export type ClaimedDelivery = Pick<Delivery, 'id' | 'webhook' | 'tenant' | 'event' | 'attempts'> & {
  url: string
  sealedSecrets: string[]
  fence: number
  claims: number
}

type FailedAttempt = { failureReason: DeliveryFailureReason; responseStatus: number | undefined }

export type DeliveryQuery = {
  tenant: string
  status: DeliveryStatus | undefined
  webhook: string | undefined
  cursor: string | undefined
  limit: number
}

/** In the order in which events became visible: none appears before a cursor that was read. */
export type EventLog = {
  list(query: EventQuery): Promise<Page<LoggedEvent>>
  /** No-op if the event is there already. */
  appendOnce(tenant: string, event: TenantEvent, audit: AuditEntry): Promise<void>
  /** Idempotent by ID. */
  append(tenant: string, event: TenantEvent, audit: EntryOf<'event.triggered'>): Promise<LoggedEvent>
}

export type LoggedEvent = OutboxEvent & { cursor: string }

export const eventOrders = ['oldest', 'newest'] as const

export type EventQuery = {
  tenant: string
  order: (typeof eventOrders)[number]
  cursor: string | undefined
  limit: number
}

export type WebhookSender = {
  mayCall(url: string): boolean
  send(message: WebhookMessage): Promise<SendResult>
}

export type WebhookMessage = {
  id: string
  url: string
  body: string
  at: Date
  secrets: Secret[]
  traceparent?: string | undefined
}

export type WebhookPorts = {
  webhooks: Webhooks
  deliveries: Deliveries
  eventLog: EventLog
  webhookSender: WebhookSender
}
