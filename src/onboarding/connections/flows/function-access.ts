import type { Actor } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { type Connection, connectionState } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { EndUser } from '../../domain/link.ts'
import type { FunctionGrant, FunctionLogin } from '../../domain/ports/function-access.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { assertActive } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { tenantOf } from '../../tenants/flows/manage-tenants.ts'
import { type ConnectionInSight, liveConnection, type OnConnection, ownConnection } from './own-connection.ts'

type CreateFunctionLogin = Omit<OnConnection, 'reason'> & { ttlSeconds?: number | undefined }

const usualSeconds = 600

export async function createFunctionLogin(
  ports: Ports,
  settings: Settings,
  input: CreateFunctionLogin,
): Promise<FunctionLogin> {
  const connection = await liveConnection(ports, input)
  assertActive(await tenantOf(ports, connection.tenant))
  await limitRate(ports, settings.rates.mint, connection.tenant)
  const endUser = await ports.connections.endUser(connection)
  const ttlSeconds = input.ttlSeconds ?? usualSeconds
  const login = await ports.functionAccess
    .createLogin(connection, { id: endUser.id, label: labelOf(endUser) }, ttlSeconds)
    .catch(throwUnavailable)
  const { actor } = input
  await ports.audit.note({
    action: 'function_login.created',
    actor,
    ...aboutConnection(connection),
    ...unchanged(connection),
    facts: { ttlSeconds },
  })
  return login
}

/** What the user's MCP clients were allowed stays. */
export async function endFunctionLogins(ports: Ports, input: Omit<OnConnection, 'reason'>): Promise<void> {
  const connection = await liveConnection(ports, input)
  await ports.functionAccess.endLogins(connection, connection.endUserId).catch(throwUnavailable)
  await ports.audit.note({
    action: 'function_login.ended',
    actor: input.actor,
    ...aboutConnection(connection),
    ...unchanged(connection),
    facts: {},
  })
}

const labelOf = ({ id, email, displayName }: EndUser): string => email ?? displayName ?? id

export const listFunctionGrants = async (
  ports: Pick<Ports, 'connections' | 'functionAccess' | 'audit'>,
  input: ConnectionInSight,
): Promise<FunctionGrant[]> =>
  ports.functionAccess.listGrants(await liveConnection(ports, input)).catch(throwUnavailable)

export async function revokeFunctionGrant(
  ports: Pick<Ports, 'connections' | 'functionAccess' | 'audit'>,
  input: ConnectionInSight & { grantId: string; actor: Actor; reason?: string | undefined },
): Promise<void> {
  const connection = await ownConnection(ports, input)
  const wasThere = await ports.functionAccess.revokeGrant(connection, input.grantId).catch(throwUnavailable)
  if (!wasThere) throw missing('grant')
  const { actor, grantId, reason } = input
  await ports.audit.note({
    action: 'function_grant.revoked',
    actor,
    ...aboutConnection(connection),
    ...unchanged(connection),
    ...(reason !== undefined && { reason }),
    facts: { grant: grantId },
  })
}

const unchanged = (connection: Connection) => ({
  before: connectionState(connection),
  after: connectionState(connection),
})

function throwUnavailable(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error
  throw new Failure('platform_unavailable', 'The platform is not responding as expected.', { cause: error })
}
