// Runs a task on a connection through its steps. Each step is repeatable, and any process can continue.
import { type ConnectionTask, isTaskOver } from '../../domain/connection-task.ts'
import { DependencyError, isFinal } from '../../domain/dependency-error.ts'
import type { IdempotencyClaim } from '../../domain/ports/shared.ts'
import { crashesWorkers, retryDelaySeconds } from '../../domain/retries.ts'
import { disconnectSteps } from './disconnect-steps.ts'
import { rollbackSteps } from './rollback-steps.ts'
import type { TaskContext, TaskNeeds, TaskSettings } from './task-step.ts'

/** A task as it is now, and as it will be when the current work on it is done. */
export type TaskInProgress = { task: ConnectionTask; done: Promise<ConnectionTask> }

/** Returns undefined unless an earlier attempt of the same request created the task. The sweep continues it. */
export async function openedBefore(
  { tasks }: Pick<TaskNeeds, 'tasks'>,
  id: string,
  claim: IdempotencyClaim | undefined,
): Promise<TaskInProgress | undefined> {
  const task = claim?.isRetry ? await tasks.find(id) : undefined
  return task && { task, done: Promise.resolve(task) }
}

const kinds = { disconnect: disconnectSteps, rollback: rollbackSteps }

export const workOnTask =
  (needs: TaskNeeds, settings: TaskSettings) =>
  async (task: ConnectionTask): Promise<ConnectionTask> => {
    let at = task
    while (!isTaskOver(at)) {
      const connection = await needs.connections.find(at.connectionId)
      if (!connection) throw new Error('a task has a connection')
      const context = { needs, settings, connection }
      if (crashesWorkers(at)) return (await kinds[at.kind].giveUp(context, at, 'worker_crashed')) ?? at
      const { task: next, goesOn } = await takeStep(context, at)
      if (!goesOn) return next
      at = next
    }
    return at
  }

type Taken = { task: ConnectionTask; goesOn: boolean }

/** Stops if another worker has the task, or if its step is tried again later. */
async function takeStep(context: TaskContext, task: ConnectionTask): Promise<Taken> {
  const { work, onFailure } = kinds[task.kind]
  try {
    const next = await work[task.step]?.(context, task)
    return { task: next ?? task, goesOn: next !== undefined }
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    const next = isFinal(task, error) ? await onFailure(context, task, error.cause) : undefined
    return next ? { task: next, goesOn: true } : { task: await postpone(context.needs, task, error), goesOn: false }
  }
}

/** Continues due tasks, whichever process created them. */
export const resumeTasks = (needs: TaskNeeds, settings: TaskSettings) => async (): Promise<number> => {
  const due = await needs.tasks.claimDue(10)
  const resumed = await Promise.allSettled(due.map((task) => workOnTask(needs, settings)(task)))
  const broken = resumed.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // its lease expires, and it is claimed again
  return due.length
}

async function postpone({ tasks, chance }: TaskNeeds, task: ConnectionTask, { retry, cause }: DependencyError) {
  await tasks.postpone(task, retryDelaySeconds(task.attempts, retry?.afterSeconds, chance()), cause)
  return { ...task, cause: cause, attempts: task.attempts + 1 }
}
