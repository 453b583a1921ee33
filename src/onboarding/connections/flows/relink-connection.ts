import type { ConnectSession } from '../../domain/connect-session.ts'
import { accountComparison, type Connection, connectionState } from '../../domain/connection.ts'
import type { Connections, StoredGrants } from '../../domain/ports/connections.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import type { Audit, Integrations, RateLimits, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { type GrantLimit, originOf, reachedLimit } from '../../domain/stored-grant.ts'
import { assertActive } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { assertInTestMode, assertRegisteredReturn, newSession } from '../../linking/flows/mint-connect-session.ts'
import { findRelinkable, type LinkableIntegration } from '../../tenants/flows/find-client.ts'
import { tenantOf } from '../../tenants/flows/manage-tenants.ts'
import { liveConnection } from './own-connection.ts'
import { assertCompletable, assertMayOverride, isByUser, lifetimeOf, type RelinkConnection } from './relink-rules.ts'

type Needs = {
  connections: Connections
  storedGrants: StoredGrants
  tenants: Tenants
  sessions: ConnectSessions
  integrations: Integrations
  tokens: Tokens
  rates: RateLimits
  audit: Audit
}

/** `grantLimit`: the new grant ends another one of the same account, or is refused. */
export type CreatedRelink = { session: ConnectSession; url: string; grantLimit?: GrantLimit | undefined }

/**
 * Creates a connect session for a re-link. The user must sign in with the account of the connection. If a different
 * account is allowed, or none is known, the tenant's server has to complete the session.
 */
export const relinkConnection =
  (needs: Needs, settings: Pick<Settings, 'publicUrl' | 'rates' | 'completion'>) =>
  async (input: RelinkConnection): Promise<CreatedRelink> => {
    const connection = await liveConnection(needs, input)
    const { tenant, integration } = connection
    const { returnUrl, completionChallenge, allowOtherAccount = false, actor, reason, following } = input
    const ttlSeconds = lifetimeOf(input, connection)
    assertMayOverride(input)
    assertInTestMode({ tenant, testOutcome: input.testOutcome })
    assertCompletable(input, connection, settings.completion)
    const { id, token, made } = await newSession(needs, input.claim)
    const url = `${settings.publicUrl}/connect/${token}`
    if (made) return { session: made, url }
    // What one user presses must not use up what the tenant's server mints with.
    await (isByUser(input)
      ? limitRate(needs)(settings.rates.check, connection.id)
      : limitRate(needs)(settings.rates.mint, tenant))
    const owner = await tenantOf(needs, tenant)
    assertActive(owner)
    const grantLimit = await limitOf(needs, connection, await findRelinkable(needs, connection))
    if (returnUrl !== undefined && !isByUser(input)) {
      await assertRegisteredReturn(needs, { actor, tenant, returnUrl }, owner.returnUrls)
    }
    const known = await needs.connections.endUser(connection)
    const endUser = { ...known, locale: input.locale ?? known.locale }
    const target = { connectionId: connection.id, allowOtherAccount, completionChallenge }
    const session = await needs.sessions.create(
      {
        id,
        tenant,
        integration,
        choices: undefined,
        endUser,
        returnUrl,
        ttlSeconds,
        inputs: {},
        ifConnected: 'add',
        testOutcome: input.testOutcome,
        ...target,
      },
      needs.tokens.digest(token),
      {
        action: 'relink.minted',
        actor,
        subject: { kind: 'connect_session', id },
        tenant,
        connection: connection.id,
        reason,
        facts: {
          allowOtherAccount,
          ttlSeconds,
          liveGrants: grantLimit?.live,
          ...accountComparison(connection),
          following,
        },
        before: connectionState(connection),
        after: connectionState(connection),
      },
    )
    return { session, url, grantLimit }
  }

/** Who counts is told before the new grant ends another one. */
async function limitOf({ storedGrants }: Needs, { account }: Connection, { integration, client }: LinkableIntegration) {
  if (!integration.limits || !account || !client) return undefined
  return reachedLimit(
    integration,
    await storedGrants.countLive({ accountId: account.id, ...originOf({ integration, client }) }),
  )
}
