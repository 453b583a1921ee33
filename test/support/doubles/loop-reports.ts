import type { LogFields } from '../../../src/kit/process/log.ts'
import { createMetrics } from '../../../src/kit/process/metrics.ts'

/** Where the loops of one test report: what they said, and a registry of their own. */
export function loopReports() {
  const lines: Array<{ message: string; fields: LogFields | undefined }> = []
  const warn = (message: string, fields?: LogFields) => void lines.push({ message, fields })
  return { lines, log: { warn }, metrics: createMetrics('test') }
}
