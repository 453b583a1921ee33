import type { ConnectSession } from '../../domain/connect-session.ts'
import { accountComparison, type Connection, connectionState } from '../../domain/connection.ts'
import { Failure } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isPinned, maxUnpinnedSeconds } from '../../domain/relink.ts'
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
import { tenantOf } from '../../tenants/flows/manage-tenants.ts'
import { liveConnection, type OnConnection } from './own-connection.ts'

type CreatedRelink = { session: ConnectSession; url: string; grantLimit?: GrantLimit | undefined }

/** If another account is allowed, or none is known, the tenant's server must complete the session. */
export async function relinkConnection(
  ports: Ports,
  settings: Settings,
  input: RelinkConnection,
): Promise<CreatedRelink> {
  const connection = await liveConnection(ports, input)
  const { tenant, integration } = connection
  const { returnUrl, completionChallenge, allowOtherAccount = false, actor, reason, following } = input
  const ttlSeconds = lifetimeOf(input, connection)
  assertMayOverride(input)
  assertInTestMode({ tenant, testOutcome: input.testOutcome })
  assertCompletable(input, connection, settings.completion)
  const { id, token, made } = await newSession(ports, input.claim)
  const url = `${settings.publicUrl}/connect/${token}`
  if (made) return { session: made, url }
  // Separate limits, so that a user cannot exhaust the limit of the tenant's server.
  await (isByUser(input)
    ? limitRate(ports, settings.rates.check, connection.id)
    : limitRate(ports, settings.rates.mint, tenant))
  const owner = await tenantOf(ports, tenant)
  assertActive(owner)
  const grantLimit = await limitOf(ports, connection, await findRelinkable(ports, connection))
  if (returnUrl !== undefined && !isByUser(input)) {
    await assertRegisteredReturn(ports, { actor, tenant, returnUrl }, owner.returnUrls)
  }
  const known = await ports.connections.endUser(connection)
  const endUser = { ...known, locale: input.locale ?? known.locale }
  const target = { connectionId: connection.id, allowOtherAccount, completionChallenge }
  const session = await ports.sessions.create(
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
    ports.tokens.digest(token),
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

async function limitOf(
  { storedGrants }: Ports,
  { tenant, account }: Connection,
  { integration, client }: LinkableIntegration,
) {
  if (!integration.limits || !account || !client) return undefined
  return reachedLimit(
    integration,
    await storedGrants.countLive({ tenant, account, ...originOf({ integration, client }) }),
  )
}

type Why = { reason: string; following?: undefined } | { reason?: undefined; following: 'manage_page' }

export type RelinkConnection = Omit<OnConnection, 'reason'> &
  Why & {
    returnUrl?: string | undefined
    completionChallenge?: string | undefined
    ttlSeconds?: number | undefined
    allowOtherAccount?: boolean | undefined
    locale?: string | undefined
    testOutcome?: TestOutcome | undefined
  }

const usualSeconds = 24 * 60 * 60

function assertMayOverride({ allowOtherAccount, tenant }: RelinkConnection) {
  if (allowOtherAccount && tenant !== undefined) {
    throw new Failure('key_limited', 'Only a key of the deployment may allow a different account.')
  }
}

const isByConsole = ({ actor }: RelinkConnection) => actor.kind === 'support'

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
  return isBounded ? Math.min(ttlSeconds, maxUnpinnedSeconds) : ttlSeconds
}
