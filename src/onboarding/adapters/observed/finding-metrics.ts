import type { Metrics, Reading } from '../../../kit/process/metrics.ts'

type Examination = {
  subject: { integration: { id: string } }
  findings: ReadonlyArray<{ check: string; verdict: string }>
}

/** Keeps what the doctor found last, for whoever looks at the metrics. */
export function findingMetrics(metrics: Metrics): (examined: readonly Examination[]) => void {
  let last: Reading<'integration' | 'check'>[] = []
  metrics.gauge('integration_findings', 'What the doctor finds wrong with the OAuth app of an integration.', {
    labels: ['integration', 'check'],
    read: () => last,
    together: 'max',
  })
  return (examined) => {
    last = examined.flatMap(({ subject, findings }) =>
      findings
        .filter(({ verdict }) => verdict === 'wrong')
        .map(({ check }) => ({ labels: { integration: subject.integration.id, check }, value: 1 })),
    )
  }
}
