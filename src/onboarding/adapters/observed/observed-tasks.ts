import type { LogFields } from '../../../kit/process/log.ts'
import type { ConnectionTask } from '../../domain/connection-task.ts'
import type { Erasure } from '../../domain/offboarding/erasure.ts'
import type { TenantDeletion } from '../../domain/offboarding/tenant-deletion.ts'
import type { ConnectionTasks } from '../../domain/ports/connections.ts'
import type { Erasures, TenantDeletions } from '../../domain/ports/offboarding.ts'
import { rounded } from './observed-links.ts'
import type { Reports } from './reports.ts'

type TaskEvent = 'task.opened' | 'task.moved' | 'task.ended' | 'task.failed'

export function observedTasks(tasks: ConnectionTasks, { log }: Pick<Reports, 'log'>): ConnectionTasks {
  const observed = async (event: TaskEvent, from: string | undefined, moving: Promise<ConnectionTask | undefined>) => {
    const task = await moving
    if (task) log(event, { ...idsOf(task), from, to: task.step, cause: task.cause })
    return task
  }
  return {
    ...tasks,
    open: (task, audit) => observed('task.opened', undefined, tasks.open(task, audit)),
    move: (task, ...rest) => observed('task.moved', task.step, tasks.move(task, ...rest)),
    fail: (task, ...rest) => observed('task.failed', task.step, tasks.fail(task, ...rest)),
    finishDisconnect: (task, ...rest) => observed('task.ended', task.step, tasks.finishDisconnect(task, ...rest)),
    finishRollback: (task, ...rest) => observed('task.ended', task.step, tasks.finishRollback(task, ...rest)),
    async postpone(task, delaySeconds, cause) {
      await tasks.postpone(task, delaySeconds, cause)
      const { step, attempts } = task
      const inSeconds = rounded(delaySeconds)
      log('task.retry_scheduled', { ...idsOf(task), from: step, cause, attempts: attempts + 1, inSeconds })
    },
  }
}

const idsOf = ({ id, connectionId, actor }: ConnectionTask): LogFields => ({
  task: id,
  connection: connectionId,
  requestId: actor.requestId,
})

export function observedDeletions(deletions: TenantDeletions, { log }: Pick<Reports, 'log'>): TenantDeletions {
  const observed = async (from: TenantDeletion, moving: Promise<TenantDeletion | undefined>) => {
    const moved = await moving
    if (moved) {
      const { tenant, step, actor } = moved
      log('tenant_deletion.moved', { tenant, requestId: actor.requestId, from: from.step, to: step })
    }
    return moved
  }
  return {
    ...deletions,
    move: (deletion, step) => observed(deletion, deletions.move(deletion, step)),
    announce: (deletion, event) => observed(deletion, deletions.announce(deletion, event)),
    finish: (deletion, audit) => observed(deletion, deletions.finish(deletion, audit)),
  }
}

export function observedErasures(erasures: Erasures, { log }: Pick<Reports, 'log'>): Erasures {
  const tell = (from: Erasure, { id, tenant, step, actor }: Erasure) =>
    log('erasure.moved', { erasure: id, tenant, requestId: actor.requestId, from: from.step, to: step })
  return {
    ...erasures,
    async move(erasure, step) {
      const moved = await erasures.move(erasure, step)
      if (moved) tell(erasure, moved)
      return moved
    },
    async finish(erasure, ...rest) {
      const finished = await erasures.finish(erasure, ...rest)
      if (finished && finished !== 'open') tell(erasure, finished)
      return finished
    },
  }
}
