import '../kit/process/quiet-libraries.ts'
import { listen } from '../kit/http/http-server.ts'
import { leadForks, leads } from '../kit/process/forks.ts'
import { closeAll, runProgram } from '../kit/process/program.ts'
import { assemble, openAdapters } from './compose.ts'
import { readConfig } from './config.ts'

await runProgram('platform', async () => {
  const config = readConfig(process.env)
  if (leads(config.processes)) return leadForks(config.processes)
  const adapters = await openAdapters(config)
  const { app, unreadable, close } = assemble(config, adapters)
  const server = await listen(app, { ...config, ...unreadable })
  adapters.log.info('listening')
  process.send?.({ ready: true, port: server.port })
  return { close: closeAll(() => server.close(config.shutdownMs), close, adapters.close) }
})
