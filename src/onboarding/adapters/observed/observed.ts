import type { LogFields } from '../../../kit/process/log.ts'
import { traceIdOf } from '../../../kit/tracing/tracing.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { ClaimedDelivery, Deliveries } from '../../domain/ports/webhooks.ts'
import { onboardingMetrics } from '../../domain/reports/metrics.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { observedCalls } from './observed-calls.ts'
import { observedHealthChecks } from './observed-health-checks.ts'
import { observedLinks, rounded } from './observed-links.ts'
import { observedDeletions, observedErasures, observedTasks } from './observed-tasks.ts'
import { countClientRejections, type Reports } from './reports.ts'

type ObservedPorts = Pick<
  Ports,
  'links' | 'provider' | 'platform' | 'healthChecks' | 'tasks' | 'deliveries' | 'deletions' | 'erasures'
>

/** `integrations`: those that can be linked from the start. */
export function observed<P extends ObservedPorts>(
  ports: P,
  reports: Reports,
  integrations: ReadonlyArray<{ id: string }> = [],
): P {
  const clientRejected = countClientRejections(reports.metrics, integrations)
  return {
    ...ports,
    ...observedCalls(ports, reports),
    links: observedLinks(ports.links, reports, integrations, clientRejected),
    healthChecks: observedHealthChecks(ports.healthChecks, reports, clientRejected),
    tasks: observedTasks(ports.tasks, reports),
    deliveries: observedDeliveries(ports.deliveries, reports),
    deletions: observedDeletions(ports.deletions, reports),
    erasures: observedErasures(ports.erasures, reports),
  }
}

function observedDeliveries(deliveries: Deliveries, { log, metrics }: Reports): Deliveries {
  const attempts = metrics.counter(onboardingMetrics.webhookAttempts)
  for (const outcome of ['delivered', 'retried', 'dead']) attempts.inc({ outcome }, 0)
  /** Endpoints of test tenants are often offline. */
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

function idsOf({ id, webhook, tenant, attempts, event: { payload, traceparent } }: ClaimedDelivery): LogFields {
  const { linkId, connectionId } = payload
  const trace = traceIdOf(traceparent)
  return { delivery: id, webhook, tenant, attempts, trace, link: textOf(linkId), connection: textOf(connectionId) }
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)
