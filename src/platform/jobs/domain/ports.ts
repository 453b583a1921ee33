import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import type { SendCallback } from '../../shared/domain/callback.ts'
import type { SharedPorts } from '../../shared/domain/ports.ts'
import type { UsageEvent } from '../../shared/domain/usage.ts'
import type { Arguments, Execution, ExecutionSecrets, ExecutionStatus, Job, NewExecution, Task } from './execution.ts'

export type Jobs = {
  find(workspace: string, name: string): Promise<Job | undefined>
  withSchedules(): Promise<Job[]>
  noteCallback(workspace: string, job: string, message: string): Promise<void>
}

/** `secrets` is undefined if they don't decrypt. */
export type PendingCallback = {
  execution: Execution
  jobUid: string
  attempts: number
  claims: number
  secrets: Secret<ExecutionSecrets> | undefined
}

export type Executions = {
  add(execution: NewExecution, by: Actor): Promise<boolean>
  find(jobUid: string, id: string): Promise<Execution | undefined>
  statusOf(uid: string): Promise<ExecutionStatus | undefined>
  hasTasks(uid: string, tasks: readonly Arguments[]): Promise<boolean>
  page(query: { jobUid: string; limit: number; before: number | undefined }): Promise<Execution[]>
  count(jobUid: string): Promise<number>
  tasks(uid: string, limit: number, after: number): Promise<Task[]>
  output(uid: string, index: number): Promise<string | undefined>
  cancel(uid: string, by: Actor): Promise<void>
  /** Derives the status of executions from their tasks. */
  settle(): Promise<void>
  /** Claims a finished execution with a callback until its delivery must have ended. */
  nextCallback(): Promise<PendingCallback | undefined>
  retryCallback(uid: string): Promise<void>
  callbackDone(uid: string): Promise<void>
  hasFired(jobUid: string, trigger: number, firedFor: Date): Promise<boolean>
  noteFire(jobUid: string, trigger: number, firedFor: Date): Promise<void>
}

/** A task leased by a worker. `attempt` is part of the lease: an older attempt can't change the task. */
export type LeasedTask = {
  execution: string
  executionId: string
  index: number
  attempt: number
  arguments: Arguments
  workspace: string
  job: string
  jobUid: string
  image: string
  memoryMb: number
  timeoutSeconds: number
  secrets: Secret<ExecutionSecrets>
}

export type TaskEnd = { state: 'succeeded' | 'failed' | 'timeout'; reason: string; output: string }

/** Free capacity of a worker: in total and per workspace, given the running tasks per workspace. */
export type WorkerRoom = { total: number; perWorkspace: number; running: ReadonlyMap<string, number> }

export type TaskQueue = {
  claim(worker: string, room: WorkerRoom): Promise<LeasedTask[]>
  renew(worker: string, tasks: readonly LeasedTask[]): Promise<Set<string>>
  /** Stores the result and the usage in one transaction. Dropped if the lease was lost. */
  finish(worker: string, task: LeasedTask, end: TaskEnd, used: UsageEvent): Promise<void>
  reap(): Promise<void>
  /** IDs of the runs (`runId`) whose leases are alive. */
  leased(): Promise<Set<string>>
}

export const taskKey = ({ execution, index, attempt }: Pick<LeasedTask, 'execution' | 'index' | 'attempt'>) =>
  `${execution}/${index}/${attempt}`

/** The ID of the run at the engine. */
export const runId = ({ execution, index, attempt }: Pick<LeasedTask, 'execution' | 'index' | 'attempt'>) =>
  `task-${execution}-${index}-${attempt}`

export type RunTask = (task: LeasedTask, signal: AbortSignal) => Promise<TaskEnd>

export type JobPorts = SharedPorts & {
  jobs: Jobs
  executions: Executions
  sendCallback: SendCallback
  pause(ms: number): Promise<void>
}
