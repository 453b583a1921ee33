import type { ConnectionTask } from '../../domain/connection-task.ts'
import { missing } from '../../domain/failure.ts'
import type { Connections, ConnectionTasks } from '../../domain/ports/connections.ts'

import { type OnConnection, ownConnection } from './own-connection.ts'

export type ReadTask = Pick<OnConnection, 'connectionId' | 'tenant'> & { task: string }

/** The progress of a disconnect or rollback. */
export const readTask =
  (needs: { connections: Connections; tasks: ConnectionTasks }) =>
  async ({ task: id, ...on }: ReadTask): Promise<ConnectionTask> => {
    const connection = await ownConnection(needs, on)
    const task = await needs.tasks.find(id)
    if (task?.connectionId !== connection.id) throw missing('task')
    return task
  }
