import type { Actor } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { type Connection, connectionState } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure, missing } from '../../domain/failure.ts'
import type { EndUser } from '../../domain/link.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { FunctionAccess, FunctionGrant, FunctionLogin } from '../../domain/ports/function-access.ts'
import type { Audit, RateLimits } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { assertActive } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { tenantOf } from '../../tenants/flows/manage-tenants.ts'
import { type ConnectionInSight, liveConnection, type OnConnection, ownConnection } from './own-connection.ts'

type Needs = { connections: Connections; functionAccess: FunctionAccess; audit: Audit; rates: RateLimits }

type LoginNeeds = Needs & { tenants: Pick<Tenants, 'find'> }

export type CreateFunctionLogin = Omit<OnConnection, 'reason'> & { ttlSeconds?: number | undefined }

/** Enough to open a page, and not to be found later. */
const usualSeconds = 600

/**
 * A login for the end user of the connection and nobody else: the tenant's server has authenticated them and hands it
 * over. With it they open the function of their own account in their own MCP client.
 */
export const createFunctionLogin =
  (needs: LoginNeeds, settings: Pick<Settings, 'rates'>) =>
  async (input: CreateFunctionLogin): Promise<FunctionLogin> => {
    const connection = await liveConnection(needs, input)
    assertActive(await tenantOf(needs, connection.tenant))
    await limitRate(needs)(settings.rates.mint, connection.tenant)
    const endUser = await needs.connections.endUser(connection)
    const ttlSeconds = input.ttlSeconds ?? usualSeconds
    const login = await needs.functionAccess
      .createLogin(connection, { id: endUser.id, label: labelOf(endUser) }, ttlSeconds)
      .catch(throwUnavailable)
    const { actor } = input
    await needs.audit.note({
      action: 'function_login.created',
      actor,
      ...aboutConnection(connection),
      ...unchanged(connection),
      facts: { ttlSeconds },
    })
    return login
  }

const labelOf = ({ id, email, displayName }: EndUser): string => email ?? displayName ?? id

export const listFunctionGrants =
  (needs: Needs) =>
  async (input: ConnectionInSight): Promise<FunctionGrant[]> =>
    needs.functionAccess.listGrants(await liveConnection(needs, input)).catch(throwUnavailable)

export const revokeFunctionGrant =
  (needs: Needs) =>
  async (input: ConnectionInSight & { grantId: string; actor: Actor; reason?: string | undefined }): Promise<void> => {
    const connection = await ownConnection(needs, input)
    const wasThere = await needs.functionAccess.revokeGrant(connection, input.grantId).catch(throwUnavailable)
    if (!wasThere) throw missing('grant')
    const { actor, grantId, reason } = input
    await needs.audit.note({
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
