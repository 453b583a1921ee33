import type pg from 'pg'
import { openDestinations } from '../../kit/export/open-destinations.ts'
import type { Log } from '../../kit/process/log.ts'
import { askedSeldom, type Metrics } from '../../kit/process/metrics.ts'
import { closeAll } from '../../kit/process/program.ts'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { Config } from '../config.ts'
import type { PlatformEvent } from '../shared/domain/log-events.ts'
import { platformMetrics } from '../shared/domain/metrics.ts'
import { postgresToolCallExport, toolCallExportStates } from './adapters/tool-call-export.ts'
import type { ToolCallExport } from './domain/tool-call-export.ts'
import { exportToolCalls } from './flows/export-tool-calls.ts'

const stream = { service: 'causeway-platform', scope: 'causeway.tool_calls', type: 'tool_calls.records' }

const readEveryMs = 10_000

export function openExports(config: Config, pool: pg.Pool, metrics: Metrics) {
  const { destinations, close } = openDestinations(config.toolCallExport, stream)
  const names = destinations.map(({ name }) => name)
  const states = askedSeldom(() => toolCallExportStates(pool, names), readEveryMs)
  metrics.gauge(platformMetrics.toolCallExportLagSeconds, {
    read: async () =>
      (await states()).map(({ destination, lagSeconds }) => ({ labels: { destination }, value: lagSeconds })),
  })
  const toolCallExport: ToolCallExport = { ...postgresToolCallExport(pool), destinations }
  return { toolCallExport, closeExports: close }
}

type Adapters = {
  toolCallExport: ToolCallExport
  closeExports(): Promise<void>
  pause(ms: number): Promise<void>
  log: Log<PlatformEvent>
  loops: LoopReports
}

/** One loop for each destination, so that a slow one does not delay the others. */
export function assembleExports(adapters: Adapters) {
  const reports = {
    failed: (failure: { destination: string; problem: string; inSeconds: number }) =>
      adapters.log('tool_calls.export_failed', failure),
    rejected: (rejected: { destination: string; count: number }) =>
      adapters.log('tool_calls.export_rejected', rejected),
  }
  const turns = adapters.toolCallExport.destinations.map((destination) =>
    repeat('export-tool-calls', 2_000, () => exportToolCalls(adapters, destination, reports), adapters.loops),
  )
  return { close: closeAll(...turns.map(({ stop }) => stop), adapters.closeExports) }
}
