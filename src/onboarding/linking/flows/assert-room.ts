import type { ChosenSession } from '../../domain/connect-session.ts'
import { isFull } from '../../domain/end-users/admission.ts'
import { Failure } from '../../domain/failure.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'

type Needs = { connections: Connections; tenants: Tenants }
type RoomRequest = Pick<ChosenSession, 'tenant' | 'integration' | 'endUser' | 'ifConnected' | 'connectionId'>

/** Nobody is sent to consent to what would be refused afterwards. A re-link needs no room, and nor may what becomes one. */
export async function assertRoom({ connections, tenants }: Needs, asked: RoomRequest): Promise<void> {
  const { tenant, integration, endUser, ifConnected, connectionId } = asked
  const most = (await tenants.find(tenant))?.maxConnectionsPerUser ?? 0
  if (most === 0 || ifConnected === 'relink' || connectionId !== undefined) return
  const { count } = await connections.inUse({ tenant, integration, endUserId: endUser.id }, undefined)
  if (!isFull(most, count)) return
  const detail = `The user has ${count} connections to this integration, and may have ${most}. Disconnect one first.`
  throw new Failure('connection_limit', detail)
}
