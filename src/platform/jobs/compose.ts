// The part of the wiring list that runs jobs.
import type { RequestHandler } from 'express'
import type pg from 'pg'
import type { OpaqueCursors } from '../../kit/crypto/opaque-cursor.ts'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { Log } from '../../kit/process/log.ts'
import { type LoopReports, repeat } from '../../kit/process/repeat.ts'
import type { Config } from '../config.ts'
import type { Confinement } from '../shared/adapters/confinement/confinement.ts'
import type { SendCallback } from '../shared/domain/callback.ts'
import type { PlatformEvent } from '../shared/domain/log-events.ts'
import type { Guards } from '../shared/http/operation.ts'
import { postgresExecutions } from './adapters/executions.ts'
import { postgresTaskQueue } from './adapters/task-queue.ts'
import { type Command, taskRunner } from './adapters/task-runner.ts'
import type { Jobs, RunTask } from './domain/ports.ts'
import { deliverCallbacks } from './flows/deliver-callbacks.ts'
import { fireTriggers } from './flows/fire-triggers.ts'
import { readExecutions } from './flows/read-executions.ts'
import { startExecution } from './flows/start-execution.ts'
import { startWorker } from './flows/work.ts'
import { executionOperations } from './http/execution-operations.ts'
import { jobRoutes } from './http/job-routes.ts'

export const openJobAdapters = (pool: pg.Pool, vault: SealedBox) => ({
  executions: postgresExecutions(pool, vault),
  taskQueue: postgresTaskQueue(pool, vault),
})

type Needs = ReturnType<typeof openJobAdapters> & {
  confinement(): Promise<Confinement>
  cursors: OpaqueCursors
  sendCallback: SendCallback
  log: Log<PlatformEvent>
  loops: LoopReports
  now: () => Date
  pause: (ms: number) => Promise<void>
}

/** What other areas know: the jobs themselves, and which image needs no registration. */
type Others = { jobs: Jobs & Pick<CallbackNeeds, 'noteCallback'>; isEcho(image: string): boolean }

type CallbackNeeds = Parameters<typeof deliverCallbacks>[0]

export function assembleJobs(config: Config, adapters: Needs, guards: Guards, { jobs, isEcho }: Others) {
  const start = startExecution({ ...adapters, jobs })
  const read = readExecutions({ ...adapters, jobs })
  const flows = { startExecution: start, executions: read, findJob: jobs.find, pause: adapters.pause }
  const routes: RequestHandler = jobRoutes(flows, guards)
  return {
    routes,
    operations: executionOperations(flows),
    close: runJobs(config, adapters, {
      runTask: taskRunner({ commandFor: commandOf(config), isEcho, confinement: adapters.confinement }),
      deliver: deliverCallbacks({ ...adapters, noteCallback: jobs.noteCallback, headers: config.headers }),
      fire: fireTriggers({ ...adapters, jobs, startExecution: start }),
    }),
  }
}

type Loops = { runTask: RunTask; deliver: () => Promise<unknown>; fire: () => Promise<void> }

/** Work that repeats in every process; whichever comes first does it. */
function runJobs(config: Config, adapters: Needs, { runTask, deliver, fire }: Loops): () => Promise<void> {
  const worker = startWorker({ ...adapters, queue: adapters.taskQueue, runTask }, config.jobTasks)
  const turns = [
    repeat('take-tasks', 300, worker.take, adapters.loops),
    repeat('tend-tasks', 1_000, worker.tend, adapters.loops),
    repeat('deliver-callbacks', 1_000, deliver, adapters.loops),
    repeat('fire-triggers', 5_000, fire, adapters.loops),
  ]
  return async () => {
    await Promise.all(turns.map((turn) => turn.stop()))
    await worker.stop()
  }
}

const commandOf =
  ({ runtimes }: Config) =>
  (image: string): Command | undefined => {
    const runtime = runtimes.find(image)
    return runtime && 'command' in runtime ? runtime : undefined
  }
