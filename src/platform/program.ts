import { listen } from '../kit/http/http-server.ts'
import { tracedListener } from '../kit/http/traced-listener.ts'
import { readVersion } from '../kit/installed/installed-root.ts'
import { listenForMetrics } from '../kit/process/metrics-server.ts'
import { closeAndLog, drainAndLog, type Running, runProgram } from '../kit/process/program.ts'
import { type Adapters, assemble, enterControlGroup, openAdapters } from './compose.ts'
import { type Config, readConfig } from './config.ts'

await runProgram('platform', () => {
  const config = readConfig(process.env)
  enterControlGroup(config)
  return serve(config)
})

async function serve(config: Config): Promise<Running> {
  const adapters = await openAdapters(config)
  const { app, unreadable, joinsTrace, close } = assemble(config, adapters)
  const server = await listen(tracedListener(app, adapters.tracing, { joins: joinsTrace }), {
    ...config,
    ...unreadable,
    servesWebSockets: true,
  })
  const { api, inference, auth } = config.addresses
  const names = [...config.allowedHosts, ...[api, inference, auth].map((address) => new URL(address).hostname)]
  const measures = await listenForMetrics({ ...config, names }, adapters.processMetrics)
  adapters.log('program.started', { port: server.port, pid: process.pid, version: readVersion() })
  void reportEngine(adapters)
  process.send?.({ ready: true, port: server.port })
  const stopServing = () => server.close(config.shutdownMs)
  return {
    drain: drainAndLog(adapters.log, server, config.drainMs),
    close: closeAndLog(adapters.log, stopServing, measures.close, close, adapters.close),
  }
}

async function reportEngine({ engine, log }: Pick<Adapters, 'engine' | 'log'>): Promise<void> {
  const problem = await engine.problem()
  if (problem === undefined) log('engine.ready', { engine: engine.kind })
  else log('engine.unavailable', { engine: engine.kind, detail: problem })
}
