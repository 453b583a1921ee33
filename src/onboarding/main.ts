import '../kit/process/quiet-libraries.ts'

import { listen } from '../kit/http/http-server.ts'
import { leadForks, leads } from '../kit/process/forks.ts'
import { metricsOfForks } from '../kit/process/metrics.ts'
import { listenForMetrics } from '../kit/process/metrics-server.ts'
import { closeAll, type Running, runProgram } from '../kit/process/program.ts'
import { repeat, resting } from '../kit/process/repeat.ts'
import { assemble, openWorld } from './compose.ts'
import { type Config, readConfig } from './config.ts'

const hourMs = 60 * 60 * 1_000

await runProgram('onboarding', () => {
  const config = readConfig(process.env)
  return leads(config.processes) ? lead(config) : serve(config)
})

async function lead(config: Config): Promise<Running> {
  const measures = await listenForMetrics(config, metricsOfForks())
  const forks = await leadForks(config.processes)
  return { close: closeAll(forks.close, measures.close) }
}

async function serve(config: Config): Promise<Running> {
  const world = openWorld(config)
  const { app, flows, unreadable } = assemble(config, world)
  // Listening comes first: while the stores are still away, /healthz says alive and /readyz says what is missing.
  const server = await listen(app, { ...config, ...unreadable })
  const measures = await listenForMetrics(config, world.metrics)
  const close = closeAll(() => server.close(), measures.close, world.close)
  await world.prepare().catch(async (error) => {
    await close()
    throw error
  })
  const sweeper = repeat(config.sweepSeconds * 1_000, flows.resumeLinks, () => world.log.warn('the sweep failed'))
  // To find nothing costs next to nothing; what has to stay is not read again at every turn.
  const escrowSweeper = repeat(config.sweepSeconds * 1_000, resting(flows.giveUpLinks, hourMs), () =>
    world.log.warn('grants could not be given back'),
  )
  const taskSweeper = repeat(config.sweepSeconds * 1_000, flows.resumeTasks, () => world.log.warn('tasks stand still'))
  const checker = repeat(config.sweepSeconds * 1_000, flows.checkDueConnections, () =>
    world.log.warn('connections could not be tried'),
  )
  // On its own: a receiver that hangs must not hold up a link.
  const courier = repeat(500, flows.deliverWebhooks, () => world.log.warn('webhooks could not be looked for'))
  const tidying = repeat(hourMs, flows.forgetOld, () => world.log.warn('what is old could not be deleted'))
  world.log.info(`listening on port ${server.port}`)
  process.send?.({ ready: true, port: server.port })
  return {
    close: closeAll(
      sweeper.stop,
      escrowSweeper.stop,
      taskSweeper.stop,
      checker.stop,
      courier.stop,
      tidying.stop,
      close,
    ),
  }
}
