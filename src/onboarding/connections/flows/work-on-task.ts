import { type ConnectionTask, isTaskOver } from '../../domain/connection-task.ts'
import { DependencyError, isFinal } from '../../domain/dependency-error.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim } from '../../domain/ports/shared.ts'
import { crashesWorkers, retryDelaySeconds } from '../../domain/retries.ts'
import type { Settings } from '../../domain/settings.ts'
import { fenced, LostLink } from '../../provisioning/flows/fence.ts'
import { disconnectSteps } from './disconnect-steps.ts'
import { rollbackSteps } from './rollback-steps.ts'
import type { TaskContext } from './task-step.ts'

export type TaskInProgress = { task: ConnectionTask; done: Promise<ConnectionTask> }

export async function openedBefore(
  { tasks }: Pick<Ports, 'tasks'>,
  id: string,
  claim: IdempotencyClaim | undefined,
): Promise<TaskInProgress | undefined> {
  const task = claim?.isRetry ? await tasks.find(id) : undefined
  return task && { task, done: Promise.resolve(task) }
}

const kinds = { disconnect: disconnectSteps, rollback: rollbackSteps }

export async function workOnTask(ports: Ports, settings: Settings, task: ConnectionTask): Promise<ConnectionTask> {
  let at = task
  while (!isTaskOver(at)) {
    const connection = await ports.connections.find(at.connectionId)
    if (!connection) throw new Error('task without a connection')
    const held = at
    const context = { ports: fenced(ports, () => ports.tasks.keepLease(held)), settings, connection }
    if (crashesWorkers(at)) return (await kinds[at.kind].giveUp(context, at, 'worker_crashed')) ?? at
    const { task: next, continues } = await takeStep(context, at)
    if (!continues) return next
    at = next
  }
  return at
}

type Taken = { task: ConnectionTask; continues: boolean }

async function takeStep(context: TaskContext, task: ConnectionTask): Promise<Taken> {
  const { work, onFailure } = kinds[task.kind]
  try {
    const next = await work[task.step]?.(context, task)
    return { task: next ?? task, continues: next !== undefined }
  } catch (error) {
    if (error instanceof LostLink) return { task, continues: false }
    if (!(error instanceof DependencyError)) throw error
    const next = isFinal(task, error) ? await onFailure(context, task, error.cause) : undefined
    return next
      ? { task: next, continues: true }
      : { task: await postpone(context.ports, task, error), continues: false }
  }
}

export async function resumeTasks(ports: Ports, settings: Settings): Promise<number> {
  const due = await ports.tasks.claimDue(10)
  const resumed = await Promise.allSettled(due.map((task) => workOnTask(ports, settings, task)))
  const broken = resumed.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // claimed again after its lease
  return due.length
}

async function postpone({ tasks, chance }: Ports, task: ConnectionTask, { retry, cause }: DependencyError) {
  await tasks.postpone(task, retryDelaySeconds(task.attempts, retry?.afterSeconds, chance()), cause)
  return { ...task, cause: cause, attempts: task.attempts + 1 }
}
