import type { LogFields } from '../../../kit/process/log.ts'
import { traceIdOf } from '../../../kit/tracing/tracing.ts'
import type { ClaimedDelivery, Deliveries } from '../../domain/ports/webhooks.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { rounded } from './observed-links.ts'
import type { Reports } from './reports.ts'

export function observedDeliveries(deliveries: Deliveries, { log, metrics }: Reports): Deliveries {
  const attempts = metrics.counter('webhook_attempts_total', 'Attempts to deliver webhook messages.', ['outcome'])
  for (const outcome of ['delivered', 'retried', 'dead']) attempts.inc({ outcome }, 0)
  /** Test mode says nothing about how the deployment is doing, and an endpoint on a laptop is away most of the time. */
  const count = ({ tenant }: ClaimedDelivery, outcome: string) => {
    if (!isTestTenant(tenant)) attempts.inc({ outcome })
  }
  return {
    ...deliveries,
    async delivered(claimed, responseStatus) {
      await deliveries.delivered(claimed, responseStatus)
      count(claimed, 'delivered')
      log('delivery.delivered', { ...idsOf(claimed), status: responseStatus })
    },
    async postpone(claimed, outcome) {
      await deliveries.postpone(claimed, outcome)
      const { failureReason: cause, responseStatus: status, delaySeconds } = outcome
      count(claimed, 'retried')
      log('delivery.retry_scheduled', { ...idsOf(claimed), cause, status, inSeconds: rounded(delaySeconds) })
    },
    async markDead(claimed, outcome) {
      await deliveries.markDead(claimed, outcome)
      count(claimed, 'dead')
      log('delivery.dead', { ...idsOf(claimed), cause: outcome.failureReason, status: outcome.responseStatus })
    },
  }
}

/** The payload names them where the event is about one. */
function idsOf({ id, webhook, tenant, attempts, event: { payload, traceparent } }: ClaimedDelivery): LogFields {
  const { linkId, connectionId } = payload
  const trace = traceIdOf(traceparent)
  return { delivery: id, webhook, tenant, attempts, trace, link: textOf(linkId), connection: textOf(connectionId) }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
