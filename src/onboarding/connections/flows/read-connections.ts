import type { Connection } from '../../domain/connection.ts'
import type { ConnectionTask } from '../../domain/connection-task.ts'
import { missing } from '../../domain/failure.ts'
import type { ConnectionQuery, Connections, ConnectionTasks } from '../../domain/ports/connections.ts'
import type { Page } from '../../domain/ports/shared.ts'
import { type Caller, ownThing, sightOn } from '../../domain/tenant.ts'
import { type ById, emptyPage, isOutside } from '../../linking/flows/read-links.ts'
import { type ConnectionInSight, ownConnection } from './own-connection.ts'

export const readConnection =
  ({ connections }: { connections: Connections }) =>
  async ({ caller, id }: ById): Promise<Connection> =>
    ownThing(await connections.find(id), caller, 'connection')

export const listConnections =
  ({ connections }: { connections: Connections }) =>
  async ({ caller, ...query }: ConnectionQuery & { caller: Caller }): Promise<Page<Connection>> =>
    isOutside(caller, query.tenant) ? emptyPage : connections.list({ ...query, ...sightOn(caller, query.tenant) })

export type ReadTask = ConnectionInSight & { task: string }

/** The progress of a disconnect or rollback. */
export const readTask =
  (needs: { connections: Connections; tasks: ConnectionTasks }) =>
  async ({ task: id, ...on }: ReadTask): Promise<ConnectionTask> => {
    const connection = await ownConnection(needs, on)
    const task = await needs.tasks.find(id)
    if (task?.connectionId !== connection.id) throw missing('task')
    return task
  }
