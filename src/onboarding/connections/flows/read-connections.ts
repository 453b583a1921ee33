import type { Connection } from '../../domain/connection.ts'
import type { ConnectionTask } from '../../domain/connection-task.ts'
import { missing } from '../../domain/failure.ts'
import type { ConnectionQuery } from '../../domain/ports/connections.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import { type Caller, ownThing, sightOn } from '../../domain/tenant.ts'
import { type ById, emptyPage, isOutside } from '../../linking/flows/read-links.ts'
import { type ConnectionInSight, ownConnection } from './own-connection.ts'

export const readConnection = async (
  { connections }: Pick<Ports, 'connections'>,
  { caller, id }: ById,
): Promise<Connection> => ownThing(await connections.find(id), caller, 'connection')

export const listConnections = async (
  { connections }: Pick<Ports, 'connections'>,
  { caller, ...query }: ConnectionQuery & { caller: Caller },
): Promise<Page<Connection>> =>
  isOutside(caller, query.tenant) ? emptyPage : connections.list({ ...query, ...sightOn(caller, query.tenant) })

type ReadTask = ConnectionInSight & { task: string }

export async function readTask(
  ports: Pick<Ports, 'connections' | 'tasks'>,
  { task: id, ...on }: ReadTask,
): Promise<ConnectionTask> {
  const connection = await ownConnection(ports, on)
  const task = await ports.tasks.find(id)
  if (task?.connectionId !== connection.id) throw missing('task')
  return task
}
