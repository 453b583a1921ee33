// Shared by every step of a task on a connection.

import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import type { Connection } from '../../domain/connection.ts'
import type { ConnectionTask, TaskStep } from '../../domain/connection-task.ts'
import { Failure } from '../../domain/failure.ts'
import type { Connections, ConnectionTasks, StoredGrants } from '../../domain/ports/connections.ts'
import type { Platform } from '../../domain/ports/platform.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Chance, Integrations, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'

export type TaskNeeds = {
  tasks: ConnectionTasks
  links: Links
  connections: Connections
  storedGrants: StoredGrants
  tenants: Tenants
  integrations: Integrations
  provider: Provider
  platform: Platform
  seal: Seal
  tokens: Tokens
  chance: Chance
}

export type TaskSettings = Pick<Settings, 'connectionPut'>

export type TaskContext = { needs: TaskNeeds; settings: TaskSettings; connection: Connection }

/** Does one step and returns the task at the next one. Returns undefined if another worker has the task. */
export type TaskWork = (context: TaskContext, task: ConnectionTask) => Promise<ConnectionTask | undefined>

export type TaskSteps = {
  work: Partial<Record<TaskStep, TaskWork>>
  /** Handles a failure that retrying does not fix. Returns undefined to retry anyway. */
  onFailure(context: TaskContext, task: ConnectionTask, cause: Cause): Promise<ConnectionTask | undefined> | undefined
  /** Ends the task where it is: no step may be tried once more. */
  giveUp(context: TaskContext, task: ConnectionTask, cause: Cause): Promise<ConnectionTask | undefined>
}

/** Every entry about a task has its requester and reason, also when a worker continues it. */
export const aboutTask = ({ connection }: Pick<TaskContext, 'connection'>, { actor, reason }: ConnectionTask) => ({
  actor,
  ...aboutConnection(connection),
  reason,
})

export const connectionBusy = () =>
  new Failure('connection_busy', 'Another change to this connection is in progress. Try again when it is finished.')
