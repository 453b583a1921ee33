// A delivery is one event on its way to one webhook.
import { retryInSeconds } from '../../../kit/process/backoff.ts'
import type { TenantEventName } from '../tenant-event.ts'
import { isTestTenant } from '../test-mode/test-mode.ts'

export type Delivery = {
  id: string
  webhook: string
  tenant: string
  event: OutboxEvent
  status: DeliveryStatus
  attempts: number
  /** The status of the last response, if there was one. */
  responseStatus: number | undefined
  failureReason: DeliveryFailureReason | undefined
  nextAttemptAt: Date | undefined
  deliveredAt: Date | undefined
  createdAt: Date
}

export type OutboxEvent = {
  id: string
  name: TenantEventName
  payload: Record<string, unknown>
  traceparent?: string | undefined
  occurredAt: Date
}

export const deliveryStatuses = ['pending', 'delivered', 'dead'] as const
export type DeliveryStatus = (typeof deliveryStatuses)[number]

/** Why the last attempt failed. Never anything the receiver wrote. */
export const deliveryFailureReasons = [
  'blocked',
  'unreachable',
  'unanswered',
  'too_large',
  'redirected',
  'refused',
  'gone',
  'webhook_disabled',
  'worker_crashed',
] as const
export type DeliveryFailureReason = (typeof deliveryFailureReasons)[number]

/** The message as it is signed and sent: small, and the same in every attempt. */
export const webhookMessage = (tenant: string, { name, occurredAt, payload }: OutboxEvent): string =>
  JSON.stringify({
    type: name,
    timestamp: occurredAt.toISOString(),
    data: { tenantId: tenant, ...(isTestTenant(tenant) && { testMode: true }), ...payload },
  })

export type SendResult =
  | { responseStatus: number; retryAfterSeconds: number | undefined }
  | { failureReason: 'blocked' | 'unreachable' | 'unanswered' | 'too_large' }

export type Verdict =
  | { next: 'delivered' }
  | { next: 'later'; delaySeconds: number; failureReason: DeliveryFailureReason }
  | { next: 'dead'; failureReason: DeliveryFailureReason }
  /** The receiver wants no more messages at all. */
  | { next: 'disable' }

/** What one attempt means for the delivery; `attempts` counts it, `chance` (0 to 1) keeps many from retrying in step. */
export function judgeDelivery(result: SendResult, attempts: number, chance: number): Verdict {
  if ('responseStatus' in result && result.responseStatus >= 200 && result.responseStatus < 300)
    return { next: 'delivered' }
  if ('responseStatus' in result && result.responseStatus === 410) return { next: 'disable' }
  const failureReason = failureReasonOf(result)
  const waitSeconds = waits[attempts - 1]
  if (waitSeconds === undefined) return { next: 'dead', failureReason }
  const askedSeconds = 'responseStatus' in result ? result.retryAfterSeconds : undefined
  const wait = { waitSeconds, spread: 0.2, askedSeconds, longestAskedSeconds: hour }
  return { next: 'later', delaySeconds: retryInSeconds(wait, chance), failureReason }
}

function failureReasonOf(result: SendResult): DeliveryFailureReason {
  if ('failureReason' in result) return result.failureReason
  return result.responseStatus >= 300 && result.responseStatus < 400 ? 'redirected' : 'refused'
}

const minute = 60
const hour = 60 * minute

/** Together a day and a half: a receiver that breaks on a weekend evening is repaired before the last try. */
const waits = [5, 30, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 10 * hour, 12 * hour]
