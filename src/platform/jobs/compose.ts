import type pg from 'pg'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { Config } from '../config.ts'
import type { OpenAccounts } from '../shared/domain/account-door.ts'
import type { Engine } from '../shared/domain/engine.ts'
import type { Guards } from '../shared/http/operation.ts'
import { postgresExecutions } from './adapters/executions.ts'
import { postgresTaskQueue } from './adapters/task-queue.ts'
import { type Command, taskRunner } from './adapters/task-runner.ts'
import type { JobPorts } from './domain/ports.ts'
import { accountUser } from './flows/account-user.ts'
import { collectRuns } from './flows/collect-runs.ts'
import { deliverCallbacks } from './flows/deliver-callbacks.ts'
import { fireTriggers } from './flows/fire-triggers.ts'
import { startWorker } from './flows/work.ts'
import { executionOperations } from './http/execution-operations.ts'
import { jobRoutes } from './http/job-routes.ts'

export const openJobAdapters = (pool: pg.Pool, vault: SealedBox) => ({
  executions: postgresExecutions(pool, vault),
  taskQueue: postgresTaskQueue(pool, vault),
})

type Images = { isEcho(image: string): boolean; isContainer(image: string): boolean }

type Ports = JobPorts &
  ReturnType<typeof openJobAdapters> & {
    engine: Engine
    openAccounts: OpenAccounts
    loops: LoopReports
  }

export function assembleJobs(config: Config, ports: Ports, guards: Guards, images: Images) {
  const runTask = taskRunner({
    commandFor: commandOf(config),
    ...images,
    engine: ports.engine,
    openAccounts: (task) => ports.openAccounts(accountUser(ports, task)),
  })
  const { containers } = ports.engine
  const worker = startWorker({ ...ports, queue: ports.taskQueue, runTask }, config.jobTasks)
  const turns = [
    repeat('take-tasks', 300, worker.take, ports.loops),
    repeat('tend-tasks', 1_000, worker.tend, ports.loops),
    repeat('deliver-callbacks', 1_000, () => deliverCallbacks(ports, config.headers), ports.loops),
    repeat('fire-triggers', 5_000, fireTriggers(ports), ports.loops),
    ...(containers ? [repeat('collect-runs', 15_000, collectRuns(containers, ports.taskQueue), ports.loops)] : []),
  ]
  return {
    routes: jobRoutes(ports, guards),
    operations: executionOperations(ports),
    async close() {
      await Promise.all(turns.map((turn) => turn.stop()))
      await worker.stop()
    },
  }
}

const commandOf =
  ({ runtimes }: Config) =>
  (image: string): Command | undefined => {
    const runtime = runtimes.find(image)
    return runtime && 'command' in runtime ? runtime : undefined
  }
