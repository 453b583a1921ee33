import { listen } from '../kit/http/http-server.ts'
import { tracedListener } from '../kit/http/traced-listener.ts'
import { readVersion } from '../kit/installed/version.ts'
import { leads } from '../kit/process/forks.ts'
import { leadProgram } from '../kit/process/lead-program.ts'
import { listenForMetrics } from '../kit/process/metrics-server.ts'
import { closeAll, closeAndTell, type Running, runProgram } from '../kit/process/program.ts'
import { repeat, resting } from '../kit/process/repeat.ts'
import { assemble, openWorld } from './compose.ts'
import { type Config, readConfig } from './config.ts'

const hourMs = 60 * 60 * 1_000

await runProgram('onboarding', () => {
  const config = readConfig(process.env)
  return leads(config.processes) ? leadProgram({ program: 'onboarding', metrics: 'causeway' }, config) : serve(config)
})

async function serve(config: Config): Promise<Running> {
  const world = openWorld(config)
  const sweepMs = config.sweepSeconds * 1_000
  const { app, flows, unreadable } = assemble(config, world)
  // Listening comes first: while the stores are still away, /healthz says alive and /readyz says what is missing.
  const server = await listen(tracedListener(app, world.tracing, {}), { ...config, ...unreadable })
  const measures = await listenForMetrics(config, () => world.metrics)
  const close = closeAll(() => server.close(), measures.close, world.close)
  await world.prepare().catch(async (error) => {
    await close()
    throw error
  })
  const loops = [
    repeat('sweep-links', sweepMs, flows.sweepLinks, world),
    // An empty scan is cheap; links that have to stay are not read again at every turn.
    repeat('expire-stalled-links', sweepMs, resting(flows.expireStalledLinks, hourMs), world),
    repeat('resume-tasks', sweepMs, flows.resumeTasks, world),
    repeat('delete-tenants', sweepMs, flows.resumeDeletions, world),
    repeat('erase-end-users', sweepMs, flows.resumeErasures, world),
    // On its own: a long import must not hold up a link whose worker died.
    repeat('import-rows', sweepMs, flows.workOnImports, world),
    repeat('check-connections', sweepMs, flows.checkDueConnections, world),
    repeat('heed-grant-problems', 10_000, flows.heedGrantProblems, world),
    // On its own: a receiver that hangs must not hold up a link.
    repeat('deliver-webhooks', 500, flows.deliverWebhooks, world),
    repeat('record-key-uses', 60_000, flows.recordKeyUses, world),
    repeat('forget-old', hourMs, flows.forgetOld, world),
    repeat('examine-integrations', hourMs, world.examineIntegrations, world),
  ]
  world.log('program.started', { port: server.port, pid: process.pid, version: readVersion() })
  process.send?.({ ready: true, port: server.port })
  return { close: closeAndTell(world.log, ...loops.map(({ stop }) => stop), close) }
}
