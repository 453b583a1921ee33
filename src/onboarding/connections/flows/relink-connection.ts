import type { ConnectSession } from '../../domain/connect-session.ts'
import { type Connection, connectionState } from '../../domain/connection.ts'
import { Failure } from '../../domain/failure.ts'
import type { Connections, StoredGrants } from '../../domain/ports/connections.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import type { Audit, Integrations, RateLimits, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { isPinned, longestUnpinnedSeconds } from '../../domain/relink.ts'
import type { Settings } from '../../domain/settings.ts'
import { type GrantLimit, originOf, reachedLimit } from '../../domain/stored-grant.ts'
import { assertActive } from '../../domain/tenant.ts'
import type { TestOutcome } from '../../domain/test-mode/test-mode.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import {
  assertChallenge,
  assertInTestMode,
  assertRegisteredReturn,
  inputInvalid,
  newSession,
} from '../../linking/flows/mint-connect-session.ts'
import { findRelinkable, type LinkableIntegration } from '../../tenants/flows/find-client.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'
import { liveConnection, type OnConnection } from './own-connection.ts'

/** A person says why in their own words; a user who does it on the page for their connections need not. */
type Why = { reason: string; following?: undefined } | { reason?: undefined; following: 'manage_page' }

/** `returnUrl` is the tenant's, and of a user on the page for their connections that page. */
export type RelinkConnection = Omit<OnConnection, 'reason'> &
  Why & {
    returnUrl?: string | undefined
    completionChallenge?: string | undefined
    ttlSeconds?: number | undefined
    allowOtherAccount?: boolean | undefined
    locale?: string | undefined
    testOutcome?: TestOutcome | undefined
  }

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

/** Enough for someone who reads their mail once a day. */
const usualSeconds = 24 * 60 * 60

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
    const owner = await readTenant(needs)({ caller: { keyId: '', tenant: undefined }, id: tenant })
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
        facts: { allowOtherAccount, ttlSeconds, liveGrants: grantLimit?.live, ...comparedBy(connection), following },
        before: connectionState(connection),
        after: connectionState(connection),
      },
    )
    return { session, url, grantLimit }
  }

/** Whoever reads the record sees that anybody's account could come in. */
const comparedBy = ({ account }: Connection) => (account ? {} : { accountCompared: false })

/** Who counts is told before the new grant ends another one. */
async function limitOf({ storedGrants }: Needs, { account }: Connection, { integration, client }: LinkableIntegration) {
  if (!integration.limits || !account || !client) return undefined
  return reachedLimit(
    integration,
    await storedGrants.countLive({ accountId: account.id, ...originOf({ integration, client }) }),
  )
}

/** A tenant alone may not move a connection to a different account. */
function assertMayOverride({ allowOtherAccount, tenant }: RelinkConnection) {
  if (allowOtherAccount && tenant !== undefined) {
    throw new Failure('key_limited', 'Only a key of the deployment may allow a different account.')
  }
}

/** The console has no server of the tenant that could complete a session. */
const isByConsole = ({ actor }: RelinkConnection) => actor.kind === 'support'

/** On a page that the tenant's server opened for them, and to which they come back. */
const isByUser = ({ following }: RelinkConnection) => following === 'manage_page'

function assertCompletable(input: RelinkConnection, connection: Connection, completion: Settings['completion']) {
  const { allowOtherAccount = false, completionChallenge, returnUrl } = input
  if (!isPinned(connection, allowOtherAccount) && !isByConsole(input)) {
    assertChallenge({ completionChallenge }, completion)
  }
  if (completionChallenge !== undefined && returnUrl === undefined) {
    throw inputInvalid('/returnUrl', 'is required with a challenge: the completion code is sent there')
  }
}

function lifetimeOf(input: RelinkConnection, connection: Connection): number {
  const { allowOtherAccount = false, ttlSeconds = usualSeconds } = input
  const isBounded = isByConsole(input) && !isPinned(connection, allowOtherAccount)
  return isBounded ? Math.min(ttlSeconds, longestUnpinnedSeconds) : ttlSeconds
}
