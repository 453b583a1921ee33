// The part of the wiring list that runs jobs.
import type { RequestHandler } from 'express'
import type pg from 'pg'
import type { OpaqueCursors } from '../../kit/crypto/opaque-cursor.ts'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { Log } from '../../kit/process/log.ts'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { Config } from '../config.ts'
import { postgresScheduledJobs } from '../control-plane/adapters/scheduled-jobs.ts'
import type { Resources } from '../control-plane/domain/ports.ts'
import { serveJobs } from '../control-plane/flows/serve-jobs.ts'
import { echoImage } from '../gateway/domain/runtime.ts'
import type { SendCallback } from '../shared/domain/callback.ts'
import type { Guards } from '../shared/http/operation.ts'
import { postgresExecutions } from './adapters/executions.ts'
import { postgresTaskQueue } from './adapters/task-queue.ts'
import { type Command, taskRunner } from './adapters/task-runner.ts'
import { fireTriggers } from './flows/fire-triggers.ts'
import { readExecutions } from './flows/read-executions.ts'
import { startExecution } from './flows/start-execution.ts'
import { tellCallbacks } from './flows/tell-callbacks.ts'
import { startWorker } from './flows/work.ts'
import { executionOperations } from './http/execution-operations.ts'
import { jobRoutes } from './http/job-routes.ts'

export const openJobAdapters = (pool: pg.Pool, vault: SealedBox) => ({
  scheduledJobs: postgresScheduledJobs(pool),
  executions: postgresExecutions(pool, vault),
  taskQueue: postgresTaskQueue(pool, vault),
})

type Needs = ReturnType<typeof openJobAdapters> & {
  resources: Resources
  vault: SealedBox
  cursors: OpaqueCursors
  sendCallback: SendCallback
  log: Log
  loops: LoopReports
  now: () => Date
  pause: (ms: number) => Promise<void>
}

export function assembleJobs(config: Config, adapters: Needs, guards: Guards) {
  const jobs = serveJobs(adapters)
  const start = startExecution({ ...adapters, jobs })
  const read = readExecutions({ ...adapters, jobs })
  const flows = { startExecution: start, executions: read, findJob: jobs.find, pause: adapters.pause }
  const routes: RequestHandler = jobRoutes(flows, guards)
  return {
    routes,
    operations: executionOperations(flows),
    close: runJobs(config, { ...adapters, ...jobs }, fireTriggers({ ...adapters, jobs, startExecution: start })),
  }
}

type Jobs = ReturnType<typeof serveJobs>

/** Work that repeats in every process; whichever comes first does it. */
function runJobs(
  config: Config,
  adapters: Needs & Pick<Jobs, 'noteCallback'>,
  fire: () => Promise<void>,
): () => Promise<void> {
  const runTask = taskRunner(commandsOf(config), echoImage)
  const worker = startWorker({ ...adapters, queue: adapters.taskQueue, runTask }, { atATime: config.jobTasks })
  const turns = [
    repeat('take-tasks', 300, worker.take, adapters.loops),
    repeat('tend-tasks', 1_000, worker.tend, adapters.loops),
    repeat('tell-callbacks', 1_000, tellCallbacks({ ...adapters, headers: config.headers }), adapters.loops),
    repeat('fire-triggers', 5_000, fire, adapters.loops),
  ]
  return async () => {
    await Promise.all(turns.map((turn) => turn.stop()))
    await worker.stop()
  }
}

const commandsOf = ({ runtimes }: Config): ReadonlyMap<string, Command> =>
  new Map([...runtimes].flatMap(([image, runtime]) => ('command' in runtime ? [[image, runtime] as const] : [])))
