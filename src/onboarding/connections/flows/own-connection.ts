import type { Actor } from '../../domain/audit/audit.ts'
import type { Connection } from '../../domain/connection.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { IdempotencyClaim } from '../../domain/ports/shared.ts'

/** A request to act on a connection. `tenant`: the only tenant whose connections the caller may see. */
export type OnConnection = {
  connectionId: string
  actor: Actor
  reason: string
  tenant?: string | undefined
  claim?: IdempotencyClaim | undefined
}

/** Another tenant's connection gets the same response as a missing one. */
export async function ownConnection(
  { connections }: { connections: Connections },
  { connectionId, tenant }: Pick<OnConnection, 'connectionId' | 'tenant'>,
): Promise<Connection> {
  const found = await connections.find(connectionId)
  if (!found) throw missing('connection')
  if (tenant !== undefined && found.tenant !== tenant) throw missing('connection', found.tenant)
  return found
}

/** Throws if the connection was disconnected. */
export async function liveConnection(
  needs: { connections: Connections },
  on: Pick<OnConnection, 'connectionId' | 'tenant'>,
): Promise<Connection> {
  const connection = await ownConnection(needs, on)
  if (connection.status === 'disconnected') {
    throw new Failure('connection_disconnected', 'This connection was disconnected. Connect the account again.')
  }
  return connection
}
