// Some third parties end a grant that is not refreshed for some days, so unused grants are refreshed in time.
import type { Log } from '../../../kit/process/log.ts'
import { type Connection, GrantRevoked, ThirdPartyError, type Workloads } from '../domain/connection.ts'
import { filledProfile, type Integration, type Integrations } from '../domain/integration.ts'
import type { AccessTokens, ControlPlane } from '../domain/ports.ts'
import type { GetAccessToken } from './access-token.ts'

type Needs = {
  integrations: Pick<Integrations, 'all'>
  workloads: Pick<Workloads, 'findConnection'> & Pick<ControlPlane, 'connectionsTo'>
  accessTokens: Pick<AccessTokens, 'find'>
  accessToken: GetAccessToken
  log: Log<'idle_grant.unrefreshed'>
  now: () => Date
}

const dayMs = 24 * 60 * 60 * 1_000

/** Leaves half of the time for retries. */
const part = 0.5

export const refreshIdleGrants = (needs: Needs) => async (): Promise<void> => {
  const idle = needs.integrations.all().filter(({ grant, refreshIdleDays }) => grant === 'refresh' && refreshIdleDays)
  const byId = new Map(idle.map((integration) => [integration.id, integration]))
  for (const { workspace, name } of await needs.workloads.connectionsTo([...byId.keys()])) {
    const connection = await needs.workloads.findConnection(workspace, name)
    const integration = connection && byId.get(connection.integration)
    if (integration) await refreshIfIdle(needs, integration, connection)
  }
}

async function refreshIfIdle(needs: Needs, integration: Integration, connection: Connection): Promise<void> {
  const stored = await needs.accessTokens.find(connection)
  const idleMs = (integration.refreshIdleDays ?? 0) * dayMs * part
  if (stored && stored.goodUntil.getTime() > needs.now().getTime() - idleMs) return
  await needs.accessToken(filledProfile(integration, connection.config), connection).catch((error) => {
    // The next call reports the error.
    if (!(error instanceof GrantRevoked) && !(error instanceof ThirdPartyError)) throw error
    const { workspace, name } = connection
    needs.log('idle_grant.unrefreshed', { workspace, connection: name, integration: integration.id })
  })
}
