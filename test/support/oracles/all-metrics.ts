// Every metric that each program has, without starting one.
import { poolMetrics, probeMetrics } from '../../../src/kit/database/store-metrics.ts'
import { requestDurations } from '../../../src/kit/http/request-metrics.ts'
import { createMetrics, type Metrics } from '../../../src/kit/process/metrics.ts'
import { noTracing } from '../../../src/kit/tracing/tracing.ts'
import { findingMetrics } from '../../../src/onboarding/adapters/observed/finding-metrics.ts'
import { ledgerMetrics } from '../../../src/onboarding/adapters/observed/ledger-metrics.ts'
import { observed } from '../../../src/onboarding/adapters/observed/observed.ts'
import { observedThirdParty } from '../../../src/platform/gateway/adapters/observed-third-party.ts'
import { observedToolCalls } from '../../../src/platform/gateway/adapters/observed-tool-calls.ts'
import { queueMetrics } from '../../../src/platform/shared/postgres/queue-metrics.ts'

/** Registering asks nothing of them. */
const nothing = {} as never

function shared(prefix: string): Metrics {
  const metrics = createMetrics(prefix)
  requestDurations(metrics)
  poolMetrics(metrics, nothing)
  probeMetrics(metrics, {})
  return metrics
}

export function onboardingMetrics(): Metrics {
  const metrics = shared('causeway')
  observed(nothing, { log() {}, metrics, tracing: noTracing })
  ledgerMetrics(metrics, nothing)
  findingMetrics(metrics)
  return metrics
}

export function platformMetrics(): Metrics {
  const metrics = shared('platform')
  observedThirdParty(nothing, { processMetrics: metrics, tracing: noTracing })
  observedToolCalls(nothing, metrics)
  queueMetrics(metrics, nothing)
  return metrics
}

/** Ours, without those of the process that the library brings. */
export const namesOf = (metrics: Metrics): string[] =>
  metrics.describe().flatMap(({ name }) => (/^\w+?_(?:process|nodejs)_/.test(name) ? [] : [name]))
