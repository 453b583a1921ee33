import type { Log } from '../../../kit/process/log.ts'
import type { Metrics } from '../../../kit/process/metrics.ts'
import type { Tracing } from '../../../kit/tracing/tracing.ts'
import type { OnboardingEvent } from '../../domain/log/log-events.ts'

/** Where observers tell what happened. */
export type Reports = { log: Log<OnboardingEvent>; metrics: Metrics; tracing: Tracing }
