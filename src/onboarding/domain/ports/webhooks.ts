import type { Secret } from '../../../kit/crypto/secret.ts'
import type { AuditEntry } from '../audit/audit-entry.ts'
import type { TenantEventName } from '../tenant-event.ts'
import type { Delivery, DeliveryFailureReason, DeliveryStatus, SendResult } from '../webhooks/delivery.ts'
import type { Webhook } from '../webhooks/webhook.ts'
import type { Page } from './shared.ts'

export type Webhooks = {
  /** Returns undefined if the tenant has as many as it may have. */
  create(webhook: NewWebhook, sealedSecret: string, most: number, audit: AuditEntry): Promise<Webhook | undefined>
  find(tenant: string, id: string): Promise<Webhook | undefined>
  list(tenant: string): Promise<Webhook[]>
  delete(tenant: string, id: string, audit: AuditEntry): Promise<boolean>
  /** The current secret signs for a while longer, as do those before it. False if it is not there, or they are too many. */
  rotateSecret(at: WebhookAt, sealedSecret: string, rotation: SecretRotation, audit: AuditEntry): Promise<boolean>
  /** Deletes secrets whose time is over. */
  forgetSecrets(): Promise<void>
  enable(at: WebhookAt, audit: AuditEntry): Promise<boolean>
  /** Ends everything on its way there, too. */
  disable(at: WebhookAt, audit: AuditEntry): Promise<boolean>
}

export type SecretRotation = { overlapSeconds: number; mostEarlier: number }

export type WebhookAt = Pick<Webhook, 'tenant' | 'id'>

export type NewWebhook = WebhookAt & { url: string; events: TenantEventName[] }

export type Deliveries = {
  /** Makes a delivery of each waiting event for each endpoint subscribed to it. Returns the number of events. */
  announce(limit: number): Promise<number>
  /** Deliveries whose time has come, each now leased to the caller. */
  claimDue(query: DueDeliveries): Promise<ClaimedDelivery[]>
  delivered(claimed: ClaimedDelivery, responseStatus: number): Promise<void>
  postpone(claimed: ClaimedDelivery, outcome: FailedAttempt & { delaySeconds: number }): Promise<void>
  markDead(claimed: ClaimedDelivery, outcome: FailedAttempt): Promise<void>
  find(tenant: string, id: string): Promise<Delivery | undefined>
  list(query: DeliveryQuery): Promise<Page<Delivery>>
  /** From the first attempt again, whatever became of it before. False if its endpoint is disabled. */
  replay(tenant: string, id: string, audit: AuditEntry): Promise<boolean>
  /** Deletes the oldest events and their deliveries, some at a time. Returns the number of events. */
  forgetOld(days: number, limit: number): Promise<number>
}

export type DueDeliveries = {
  limit: number
  perTenant: number
  /** How many the caller still has under way, by tenant. */
  underWay: Readonly<Record<string, number>>
  /** How many of those that a worker may have been lost over. One, unless said otherwise. */
  suspects?: number
}

export type ClaimedDelivery = Pick<Delivery, 'id' | 'webhook' | 'tenant' | 'event' | 'attempts'> & {
  url: string
  /** Sealed, the newest first. */
  sealedSecrets: string[]
  fence: number
  /** Who claimed it since a worker last wrote what became of it. */
  claims: number
}

export type FailedAttempt = { failureReason: DeliveryFailureReason; responseStatus: number | undefined }

export type DeliveryQuery = {
  tenant: string
  status: DeliveryStatus | undefined
  webhook: string | undefined
  cursor: string | undefined
  limit: number
}

export type WebhookSender = {
  /** Whether the address is one that we would call at all. */
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

export type WebhookPorts = { webhooks: Webhooks; deliveries: Deliveries; webhookSender: WebhookSender }
