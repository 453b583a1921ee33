import { readVersion } from '../installed/version.ts'
import { metricsOfForks } from './fork-metrics.ts'
import { leadForks } from './forks.ts'
import { createLog, type logLevels } from './log.ts'
import { kitEvents } from './log-events.ts'
import { listenForMetrics } from './metrics-server.ts'
import { closeAndTell, type Running } from './program.ts'

type Names = { program: string; metrics: string }

type Config = Parameters<typeof listenForMetrics>[0] & { processes: number; logLevel: (typeof logLevels)[number] }

/** The process that starts the others of a program, watches over them and adds their metrics up. */
export async function leadProgram(names: Names, config: Config): Promise<Running> {
  const log = createLog(names.program, config.logLevel, kitEvents)
  const measures = await listenForMetrics(config, () => metricsOfForks(names.metrics))
  const forks = await leadForks(config.processes, log)
  log('program.started', { count: config.processes, pid: process.pid, version: readVersion() })
  return { close: closeAndTell(log, forks.close, measures.close) }
}
