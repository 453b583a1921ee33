import type { LogFields } from '../../../src/kit/process/log.ts'
import { createMetrics } from '../../../src/kit/process/metrics.ts'

export function loopReports() {
  const lines: Array<{ event: string; fields: LogFields | undefined }> = []
  const log = (event: string, fields?: LogFields) => void lines.push({ event, fields })
  return { lines, log, metrics: createMetrics('test') }
}
