import type { Log } from '../../../kit/process/log.ts'
import type { Metrics } from '../../../kit/process/metrics.ts'
import type { Tracing } from '../../../kit/tracing/tracing.ts'
import type { Cause } from '../../domain/cause.ts'
import { clientCauses, isClientCause } from '../../domain/doctor/signals.ts'
import type { OnboardingEvent } from '../../domain/reports/log-events.ts'
import { onboardingMetrics } from '../../domain/reports/metrics.ts'

export type Reports = { log: Log<OnboardingEvent>; metrics: Metrics; tracing: Tracing }

export type ClientRejections = (integration: string, cause: Cause | undefined) => void

/** Only causes of a client count, so there are few series. */
export function countClientRejections(metrics: Metrics, integrations: ReadonlyArray<{ id: string }>): ClientRejections {
  const rejections = metrics.counter(onboardingMetrics.clientRejections)
  // From zero on: Prometheus misses the first event of a series that begins with one.
  for (const { id: integration } of integrations)
    for (const cause of clientCauses) rejections.inc({ integration, cause }, 0)
  return (integration, cause) => {
    if (cause && isClientCause(cause)) rejections.inc({ integration, cause })
  }
}
