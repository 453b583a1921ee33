import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import type { Connection } from '../../domain/connection.ts'
import type { ConnectionTask, TaskStep } from '../../domain/connection-task.ts'
import { Failure } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'

export type TaskContext = { ports: Ports; settings: Settings; connection: Connection }

type TaskWork = (context: TaskContext, task: ConnectionTask) => Promise<ConnectionTask | undefined>

export type TaskSteps = {
  work: Partial<Record<TaskStep, TaskWork>>
  onFailure(context: TaskContext, task: ConnectionTask, cause: Cause): Promise<ConnectionTask | undefined> | undefined
  giveUp(context: TaskContext, task: ConnectionTask, cause: Cause): Promise<ConnectionTask | undefined>
}

/** All entries name the requester and the reason, even when a worker continues the task. */
export const aboutTask = ({ connection }: Pick<TaskContext, 'connection'>, { actor, reason }: ConnectionTask) => ({
  actor,
  ...aboutConnection(connection),
  reason,
})

export const connectionBusy = () =>
  new Failure('connection_busy', 'Another change to this connection is in progress. Try again when it is finished.')
