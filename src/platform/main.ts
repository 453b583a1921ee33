import '../kit/process/quiet-libraries.ts'
import { listen } from '../kit/http/http-server.ts'
import { leadForks, leads } from '../kit/process/forks.ts'
import { listenForMetrics, metricsOfForks } from '../kit/process/metrics.ts'
import { closeAll, type Running, runProgram } from '../kit/process/program.ts'
import { assemble, openAdapters } from './compose.ts'
import { type Config, readConfig } from './config.ts'

await runProgram('platform', () => {
  const config = readConfig(process.env)
  return leads(config.processes) ? lead(config) : serve(config)
})

async function lead(config: Config): Promise<Running> {
  const measures = await listenForMetrics(config, metricsOfForks())
  const forks = await leadForks(config.processes)
  return { close: closeAll(forks.close, measures.close) }
}

async function serve(config: Config): Promise<Running> {
  const adapters = await openAdapters(config)
  const { app, unreadable, close } = assemble(config, adapters)
  const server = await listen(app, { ...config, ...unreadable })
  const measures = await listenForMetrics(config, adapters.processMetrics)
  adapters.log.info('listening')
  process.send?.({ ready: true, port: server.port })
  return { close: closeAll(() => server.close(config.shutdownMs), measures.close, close, adapters.close) }
}
