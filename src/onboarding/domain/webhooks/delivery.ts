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

export const webhookMessage = (tenant: string, event: OutboxEvent): string =>
  JSON.stringify({
    type: event.name,
    timestamp: event.occurredAt.toISOString(),
    data: messageData(tenant, event),
  })

export const messageData = (tenant: string, { payload }: Pick<OutboxEvent, 'payload'>): Record<string, unknown> => ({
  tenantId: tenant,
  ...(isTestTenant(tenant) && { testMode: true }),
  ...payload,
})

export type SendResult =
  | { responseStatus: number; retryAfterSeconds: number | undefined }
  | { failureReason: 'blocked' | 'unreachable' | 'unanswered' | 'too_large' }

type Verdict =
  | { next: 'delivered' }
  | { next: 'later'; delaySeconds: number; failureReason: DeliveryFailureReason }
  | { next: 'dead'; failureReason: DeliveryFailureReason }
  | { next: 'disable' }

export function judgeDelivery(result: SendResult, attempts: number, chance: number): Verdict {
  if ('responseStatus' in result && result.responseStatus >= 200 && result.responseStatus < 300)
    return { next: 'delivered' }
  if ('responseStatus' in result && result.responseStatus === 410) return { next: 'disable' }
  const failureReason = failureReasonOf(result)
  const waitSeconds = waits[attempts - 1]
  if (waitSeconds === undefined) return { next: 'dead', failureReason }
  const askedSeconds = 'responseStatus' in result ? result.retryAfterSeconds : undefined
  const wait = { waitSeconds, spread: 0.2, askedSeconds, maxAskedSeconds: hour }
  return { next: 'later', delaySeconds: retryInSeconds(wait, chance), failureReason }
}

function failureReasonOf(result: SendResult): DeliveryFailureReason {
  if ('failureReason' in result) return result.failureReason
  return result.responseStatus >= 300 && result.responseStatus < 400 ? 'redirected' : 'refused'
}

const minute = 60
const hour = 60 * minute

/** A day and a half in total: a receiver that breaks on a weekend evening is repaired before the last attempt. */
const waits = [5, 30, 2 * minute, 10 * minute, 30 * minute, hour, 2 * hour, 4 * hour, 8 * hour, 10 * hour, 12 * hour]
