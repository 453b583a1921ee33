import { listen } from '../kit/http/http-server.ts'
import { tracedListener } from '../kit/http/traced-listener.ts'
import { readVersion } from '../kit/installed/version.ts'
import { isFork, leads } from '../kit/process/forks.ts'
import { leadProgram } from '../kit/process/lead-program.ts'
import { listenForMetrics } from '../kit/process/metrics-server.ts'
import { closeAndTell, type Running, runProgram } from '../kit/process/program.ts'
import { assemble, enterControlGroup, openAdapters } from './compose.ts'
import { type Config, readConfig } from './config.ts'

await runProgram('platform', () => {
  const config = readConfig(process.env)
  if (!isFork()) enterControlGroup(config)
  return leads(config.processes) ? leadProgram({ program: 'platform', metrics: 'platform' }, config) : serve(config)
})

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
