import type { Connection } from '../../domain/connection.ts'
import type { HealthCheckDraft, HealthChecks } from '../../domain/ports/connections.ts'
import { onboardingMetrics } from '../../domain/reports/metrics.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import type { ClientRejections, Reports } from './reports.ts'

export function observedHealthChecks(
  healthChecks: HealthChecks,
  reports: Reports,
  clientRejected: ClientRejections,
): HealthChecks {
  const count = counter(reports)
  return {
    ...healthChecks,
    async record(draft) {
      const check = await healthChecks.record(draft)
      if (!isTestTenant(draft.connection.tenant)) {
        count(draft)
        clientRejected(draft.connection.integration, draft.finding.cause)
      }
      tell(reports, draft)
      return check
    },
    async warnOfEnd(warning) {
      const isNews = await healthChecks.warnOfEnd(warning)
      const { id, tenant, integration } = warning.connection
      if (isNews) reports.log('connection.grant_ends_soon', { connection: id, tenant, integration })
      return isNews
    },
  }
}

function counter({ metrics }: Reports): (draft: HealthCheckDraft) => void {
  const checks = metrics.counter(onboardingMetrics.healthChecks)
  const unknown = metrics.counter(onboardingMetrics.healthUnknown)
  const deaths = metrics.histogram(onboardingMetrics.grantDeathAgeSeconds, deathAges)
  return ({ connection, finding: { outcome, cause = '' }, unknown: reported }) => {
    const { integration } = connection
    checks.inc({ integration, outcome, cause })
    if (reported) unknown.inc({ integration, cause })
    if (isNewlyBroken(connection, outcome)) deaths.observe({ integration }, ageOf(connection))
  }
}

const day = 86_400

/** Around the ages at which providers end grants (domain/doctor/deaths.ts). */
const deathAges = [day / 24, day, 6.9 * day, 7.1 * day, 30 * day, 59 * day, 61 * day, 89 * day, 91 * day, 365 * day]

const ageOf = ({ relinkedAt, createdAt }: Connection): number =>
  (Date.now() - (relinkedAt ?? createdAt).getTime()) / 1_000

const isNewlyBroken = ({ status }: Connection, outcome: HealthCheckDraft['finding']['outcome']): boolean =>
  outcome === 'broken' && status === 'active'

const hasRecovered = (
  { status, healthUnknownSince }: Connection,
  outcome: HealthCheckDraft['finding']['outcome'],
): boolean => outcome === 'healthy' && (status === 'needs_relink' || healthUnknownSince !== undefined)

function tell({ log }: Reports, { connection, finding, durationMs, unknown, news }: HealthCheckDraft): void {
  const { id, tenant, integration } = connection
  const fields = {
    connection: id,
    tenant,
    integration,
    requestId: news.actor.requestId,
    to: finding.outcome,
    cause: finding.cause,
    durationMs,
  }
  if (isNewlyBroken(connection, finding.outcome)) log('connection.broken', fields)
  else if (unknown) log('connection.health_unknown', fields)
  else if (hasRecovered(connection, finding.outcome)) log('connection.recovered', fields)
  else log('health.checked', fields)
}
