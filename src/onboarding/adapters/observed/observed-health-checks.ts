import type { HealthCheckDraft, HealthChecks } from '../../domain/ports/connections.ts'
import type { Reports } from './observed.ts'

export function observedHealthChecks(healthChecks: HealthChecks, reports: Reports): HealthChecks {
  const count = counter(reports)
  return {
    ...healthChecks,
    async record(draft) {
      const check = await healthChecks.record(draft)
      count(draft)
      tell(reports, draft)
      return check
    },
  }
}

function counter({ metrics }: Reports): (draft: HealthCheckDraft) => void {
  const labels = ['integration', 'outcome', 'cause']
  const checks = metrics.counter('health_checks_total', 'Health checks, by what they found.', labels)
  const unknownHelp = 'Connections that checks can no longer judge; their tenants were told.'
  const unknown = metrics.counter('health_unknown_total', unknownHelp, ['integration', 'cause'])
  return ({ connection: { integration }, finding: { outcome, cause = '' }, unknown: told }) => {
    checks.inc({ integration, outcome, cause })
    if (told) unknown.inc({ integration, cause })
  }
}

/** That a connection is as it was is no news. */
function tell({ log }: Reports, { connection, finding, durationMs, unknown, news }: HealthCheckDraft): void {
  const { id, tenant, integration, status } = connection
  const fields = {
    connection: id,
    tenant,
    integration,
    requestId: news.actor.requestId,
    to: finding.outcome,
    cause: finding.cause,
    durationMs,
  }
  if (finding.outcome === 'broken' && status === 'active') log('connection.broken', fields)
  else if (unknown) log('connection.health_unknown', fields)
  else log('health.checked', fields)
}
