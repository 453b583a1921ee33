import type { Metrics, Reading } from '../../../kit/process/metrics.ts'
import { onboardingMetrics } from '../../domain/reports/metrics.ts'

type Examination = {
  subject: { integration: { id: string } }
  findings: ReadonlyArray<{ check: string; verdict: string }>
}

export function findingMetrics(metrics: Metrics): (examined: readonly Examination[]) => void {
  let last: Reading<'integration' | 'check'>[] = []
  metrics.gauge(onboardingMetrics.integrationFindings, {
    read: () => last,
  })
  return (examined) => {
    last = examined.flatMap(({ subject, findings }) =>
      findings
        .filter(({ verdict }) => verdict === 'wrong')
        .map(({ check }) => ({ labels: { integration: subject.integration.id, check }, value: 1 })),
    )
  }
}
