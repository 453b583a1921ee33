import '../kit/process/quiet-libraries.ts'
import { listen } from '../kit/http/http-server.ts'
import { tracedListener } from '../kit/http/traced-listener.ts'
import { readVersion } from '../kit/process/build-info.ts'
import { metricsOfForks } from '../kit/process/fork-metrics.ts'
import { isFork, leadForks, leads } from '../kit/process/forks.ts'
import { createLog } from '../kit/process/log.ts'
import { kitEvents } from '../kit/process/log-events.ts'
import { listenForMetrics } from '../kit/process/metrics-server.ts'
import { closeAndTell, type Running, runProgram } from '../kit/process/program.ts'
import { assemble, enterControlGroup, openAdapters } from './compose.ts'
import { type Config, readConfig } from './config.ts'

await runProgram('platform', () => {
  const config = readConfig(process.env)
  if (!isFork()) enterControlGroup(config)
  return leads(config.processes) ? lead(config) : serve(config)
})

async function lead(config: Config): Promise<Running> {
  const log = createLog('platform', config.logLevel, kitEvents)
  const measures = await listenForMetrics(config, () => metricsOfForks('platform'))
  const forks = await leadForks(config.processes, log)
  log('program.started', { count: config.processes, pid: process.pid, version: readVersion() })
  return { close: closeAndTell(log, forks.close, measures.close) }
}

async function serve(config: Config): Promise<Running> {
  const adapters = await openAdapters(config)
  const { app, unreadable, joinsTrace, close } = assemble(config, adapters)
  const server = await listen(tracedListener(app, adapters.tracing, { joins: joinsTrace }), {
    ...config,
    ...unreadable,
  })
  const measures = await listenForMetrics(config, () => adapters.processMetrics)
  adapters.log('program.started', { port: server.port, pid: process.pid, version: readVersion() })
  process.send?.({ ready: true, port: server.port })
  const stopServing = () => server.close(config.shutdownMs)
  return { close: closeAndTell(adapters.log, stopServing, measures.close, close, adapters.close) }
}
