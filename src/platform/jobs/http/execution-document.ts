import type { JobExecution } from '../../../contract/control-plane/execution.ts'
import { maskedSecret } from '../../../contract/resource.ts'
import type { Execution, Task } from '../domain/execution.ts'

/** Executions are kept as long as their job. */
const never = ''

export function executionDocument(execution: Execution, tasks: readonly Task[]): JobExecution {
  const {
    id,
    job,
    workspace,
    envNames,
    envShown,
    memoryOverride,
    parallelism,
    timeoutSeconds: timeout,
    stats,
  } = execution
  const shown = tasks.map((task) => taskDocument(execution, task))
  return {
    metadata: {
      cluster: 'local',
      completedAt: time(execution.completedAt),
      createdAt: time(execution.createdAt),
      deletedAt: never,
      expiredAt: never,
      id,
      job,
      startedAt: time(execution.startedAt),
      updatedAt: time(execution.updatedAt),
      workspace,
    },
    spec: { envOverride: maskedEnv(envNames, envShown), memoryOverride, parallelism, timeout, tasks: shown },
    stats,
    status: shownStatus(execution),
    tasks: shown,
  }
}

/** `pending`: it was started, and all tasks that are left wait for a worker or for another attempt. */
export function shownStatus({ status, stats }: Pick<Execution, 'status' | 'stats'>): Execution['status'] {
  const { total, success, failure, cancelled, running } = stats
  return status === 'running' && running === 0 && success + failure + cancelled < total ? 'pending' : status
}

const maskedEnv = (names: readonly string[], shown: Record<string, string>) =>
  JSON.stringify(
    Object.fromEntries(names.map((name) => [name, Object.hasOwn(shown, name) ? shown[name] : maskedSecret])),
  )

const taskName = ({ id }: Execution, { index }: Pick<Task, 'index'>): string => `${id}-${index}`

export function taskDocument(execution: Execution, task: Task) {
  return {
    metadata: {
      name: taskName(execution, task),
      createdAt: time(task.createdAt),
      scheduledAt: time(task.scheduledAt),
      startedAt: time(task.startedAt),
      completedAt: time(task.completedAt),
      updatedAt: time(task.updatedAt),
    },
    spec: { maxRetries: task.maxRetries, timeout: `${execution.timeoutSeconds}s` },
    conditions: conditionsOf(task),
  }
}

const isDone = {
  pending: 'Unknown',
  running: 'Unknown',
  succeeded: 'True',
  failed: 'False',
  timeout: 'False',
  cancelled: 'False',
}

function conditionsOf({ state, attempts, reason }: Task) {
  const condition = (type: string, holds: string, severity = '') => ({
    type,
    state: holds,
    reason: state,
    executionReason: state === 'timeout' ? 'TIMEOUT' : state === 'cancelled' ? 'CANCELLED' : '',
    message: reason,
    severity,
  })
  return [
    condition('Started', attempts > 0 ? 'True' : 'False'),
    condition('Completed', isDone[state], isDone[state] === 'False' ? 'ERROR' : ''),
    ...(attempts > 1 ? [{ ...condition('Retried', 'True', 'WARNING'), message: `Attempt ${attempts}.` }] : []),
  ]
}

const time = (at: Date | null): string => at?.toISOString() ?? ''
