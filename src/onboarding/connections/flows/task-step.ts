// What every step of a task on a connection needs.

import { aboutConnection } from '../../domain/audit-entry.ts'
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

/** Does one step and says which is next; nothing when another worker has the task now. */
export type TaskWork = (context: TaskContext, task: ConnectionTask) => Promise<ConnectionTask | undefined>

export type TaskSteps = {
  work: Partial<Record<TaskStep, TaskWork>>
  /** What follows trouble that trying again does not mend; nothing: it is tried again all the same. */
  onRefusal(context: TaskContext, task: ConnectionTask, cause: Cause): Promise<ConnectionTask | undefined> | undefined
}

/** Who asked for it and why stand in every entry about a task, also when a worker carries it on. */
export const aboutTask = ({ connection }: Pick<TaskContext, 'connection'>, { actor, reason }: ConnectionTask) => ({
  actor,
  ...aboutConnection(connection),
  reason,
})

export const connectionBusy = () =>
  new Failure('connection_busy', 'Another change to this connection is in progress. Try again when it is finished.')
