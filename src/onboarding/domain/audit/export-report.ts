import type { PartReport } from '../platform-report.ts'

/** The threshold of the alert CausewayAuditExportBehind. */
const maxLagSeconds = 15 * 60

/** Links do not wait for receivers, so a late export is only a warning. Readiness is public, so it gives no reason. */
export function exportReport(states: ReadonlyArray<{ destination: string; lagSeconds: number }>): PartReport {
  const late = states.filter(({ lagSeconds }) => lagSeconds > maxLagSeconds)
  return {
    ready: true,
    state: states.length === 0 ? 'off' : 'ready',
    warnings: late.map(
      ({ destination, lagSeconds }) =>
        `The audit export to the destination ${destination} is ${Math.floor(lagSeconds / 60)} minutes behind. The log event audit.export_failed says why.`,
    ),
  }
}
