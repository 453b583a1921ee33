import type { Actor } from '../../domain/audit/audit.ts'
import type { Connection } from '../../domain/connection.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim } from '../../domain/ports/shared.ts'
import { isInSight, type Sight } from '../../domain/tenant.ts'

export type ConnectionInSight = Sight & { connectionId: string }

export type OnConnection = ConnectionInSight & {
  actor: Actor
  reason: string
  claim?: IdempotencyClaim | undefined
}

/** Another tenant's connection gets the same response as a missing one. */
export async function ownConnection(
  { connections }: Pick<Ports, 'connections'>,
  { connectionId, ...sight }: ConnectionInSight,
): Promise<Connection> {
  const found = await connections.find(connectionId)
  if (!found) throw missing('connection')
  if (!isInSight(sight, found.tenant)) throw missing('connection', found.tenant)
  return found
}

export async function liveConnection(ports: Pick<Ports, 'connections'>, on: ConnectionInSight): Promise<Connection> {
  const connection = await ownConnection(ports, on)
  if (connection.status === 'disconnected') throw disconnectedAlready()
  return connection
}

/** For what needs a grant. */
export async function linkedConnection(ports: Pick<Ports, 'connections'>, on: ConnectionInSight): Promise<Connection> {
  const connection = await liveConnection(ports, on)
  if (connection.status !== 'not_linked') return connection
  throw new Failure('connection_not_linked', 'No account is linked to this connection yet.')
}

export const disconnectedAlready = () =>
  new Failure('connection_disconnected', 'This connection was disconnected. Connect the account again.')
