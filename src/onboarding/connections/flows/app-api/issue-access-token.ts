import type { Actor } from '../../../domain/audit/audit.ts'
import { aboutConnection } from '../../../domain/audit/audit-entry.ts'
import { Failure } from '../../../domain/failure.ts'
import type { IssuedToken } from '../../../domain/ports/function-relay.ts'
import type { Ports } from '../../../domain/ports/ports.ts'
import { assertActive } from '../../../domain/tenant.ts'
import { isTestTenant } from '../../../domain/test-mode/test-mode.ts'
import { tenantOf } from '../../../tenants/flows/manage-tenants.ts'
import { type ConnectionInSight, liveConnection } from '../own-connection.ts'

type IssueAccessToken = ConnectionInSight & { host: string; actor: Actor }

/** Audited before the token leaves. */
export async function issueAccessToken(
  ports: Pick<Ports, 'connections' | 'tenants' | 'audit' | 'functionRelay'>,
  { host, actor, ...sight }: IssueAccessToken,
): Promise<IssuedToken & { scopes: string[] }> {
  const connection = await liveConnection(ports, sight)
  assertActive(await tenantOf(ports, connection.tenant))
  if (isTestTenant(connection.tenant))
    throw new Failure('not_in_test_mode', 'Accounts in test mode have no access token.')
  const issued = await ports.functionRelay.issueToken(connection.functionUrl, host)
  await ports.audit.note({
    action: 'access_token.issued',
    actor,
    ...aboutConnection(connection),
    facts: { expiresAt: issued.expiresAt.toISOString() },
  })
  return { ...issued, scopes: connection.scopes }
}
