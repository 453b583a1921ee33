// Runs a task on a connection through its steps. Each step is repeatable, and any process can continue.
import { type ConnectionTask, isTaskOver } from '../../domain/connection-task.ts'
import { DependencyError, isFinal } from '../../domain/dependency-error.ts'
import { retryDelaySeconds } from '../../domain/link.ts'
import type { IdempotencyClaim } from '../../domain/ports/shared.ts'
import { disconnectSteps } from './disconnect-steps.ts'
import { rollbackSteps } from './rollback-steps.ts'
import type { TaskNeeds, TaskSettings } from './task-step.ts'

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
    const { work, onFailure } = kinds[task.kind]
    let at = task
    while (!isTaskOver(at)) {
      const connection = await needs.connections.find(at.connectionId)
      if (!connection) throw new Error('a task has a connection')
      const context = { needs, settings, connection }
      try {
        const next = await work[at.step]?.(context, at)
        if (!next) return at
        at = next
      } catch (error) {
        if (!(error instanceof DependencyError)) throw error
        const next = isFinal(at, error) ? await onFailure(context, at, error.cause) : undefined
        if (!next) return postpone(needs, at, error)
        at = next
      }
    }
    return at
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
