import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import type { UsageEvent } from '../../shared/domain/usage.ts'
import type { Arguments, Execution, ExecutionSecrets, ExecutionStatus, Job, NewExecution, Task } from './execution.ts'

export type Jobs = {
  find(workspace: string, name: string): Promise<Job | undefined>
  /** Every job of every workspace that a clock starts: the service's own view. */
  withSchedules(): Promise<Job[]>
}

export type ExecutionPage = { jobUid: string; limit: number; before: number | undefined }

/** Without secrets: they do not decrypt, so nobody knows whom to call. */
export type PendingCallback = {
  execution: Execution
  jobUid: string
  attempts: number
  claims: number
  secrets: Secret<ExecutionSecrets> | undefined
}

export type Executions = {
  /** False: an execution of this job has the id already. */
  add(execution: NewExecution, by: Actor): Promise<boolean>
  find(jobUid: string, id: string): Promise<Execution | undefined>
  /** Little work, however many tasks it has. */
  statusOf(uid: string): Promise<ExecutionStatus | undefined>
  /** Whether it has these tasks, one by one, and no others. */
  hasTasks(uid: string, tasks: readonly Arguments[]): Promise<boolean>
  /** Newest first. */
  page(query: ExecutionPage): Promise<Execution[]>
  count(jobUid: string): Promise<number>
  tasks(uid: string, limit: number, after: number): Promise<Task[]>
  output(uid: string, index: number): Promise<string | undefined>
  /** No new task starts from here on. */
  cancel(uid: string, by: Actor): Promise<void>
  /** Gives executions the status that their tasks add up to. */
  settle(): Promise<void>
  /** One that is over and has a callback. It is not returned again before a delivery must have ended. */
  nextCallback(): Promise<PendingCallback | undefined>
  /** It was not accepted: it is returned again, later each time. */
  retryCallback(uid: string): Promise<void>
  callbackDone(uid: string): Promise<void>
  hasFired(jobUid: string, trigger: number, firedFor: Date): Promise<boolean>
  noteFire(jobUid: string, trigger: number, firedFor: Date): Promise<void>
}

/** A task that a worker has leased. `attempt` is part of the lease: with an older one nothing can be changed. */
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

/** What a worker can still take: in all, and of a workspace, whose tasks it runs already in part. */
export type WorkerRoom = { total: number; perWorkspace: number; running: ReadonlyMap<string, number> }

export type TaskQueue = {
  claim(worker: string, room: WorkerRoom): Promise<LeasedTask[]>
  /** Renews the leases of a worker, and returns the keys of those that it still has. */
  renew(worker: string, tasks: readonly LeasedTask[]): Promise<Set<string>>
  /** The end and what it used are written at once, or not at all where the lease was lost: somebody else has the task. */
  finish(worker: string, task: LeasedTask, end: TaskEnd, used: UsageEvent): Promise<void>
  /** Ends the leases of dead workers. */
  reap(): Promise<void>
}

export const taskKey = ({ execution, index, attempt }: Pick<LeasedTask, 'execution' | 'index' | 'attempt'>) =>
  `${execution}/${index}/${attempt}`

export type RunTask = (task: LeasedTask, signal: AbortSignal) => Promise<TaskEnd>
