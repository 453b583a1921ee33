import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Integration } from '../../domain/integration.ts'
import type { HealthChecks, StoredGrants } from '../../domain/ports/connections.ts'
import type { Clock, Tokens } from '../../domain/ports/shared.ts'
import { nearEnd } from '../../domain/stored-grant.ts'
import { grantEndsSoonEvent } from '../../domain/tenant-event.ts'

type Needs = { healthChecks: HealthChecks; storedGrants: StoredGrants; tokens: Tokens; now: Clock }

/**
 * Some providers end a grant at an age, however often it is refreshed. Its tenant is told once, while the user can still
 * reconnect without losing a day. The age counts from when the grant came here: of an imported one, which is older than
 * that, nobody knows it.
 */
export const warnOfEnd =
  ({ healthChecks, storedGrants, tokens, now }: Needs) =>
  async (connection: Connection, integration: Integration): Promise<void> => {
    if (integration.refreshMaxAgeDays === undefined || connection.grantEndsAt || connection.status !== 'active') return
    const grant = await storedGrants.find(connection.id, 'current')
    const endsAt = grant && nearEnd(integration, grant, now())
    if (!endsAt) return
    await healthChecks.warnOfEnd({
      connection,
      endsAt,
      audit: {
        action: 'connection.grant_ends_soon',
        actor: worker,
        ...aboutConnection(connection),
        facts: { endsAt: endsAt.toISOString() },
      },
      event: { id: tokens.id('evt'), ...grantEndsSoonEvent(connection, endsAt) },
    })
  }
