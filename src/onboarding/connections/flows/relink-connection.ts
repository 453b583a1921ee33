import type { ConnectSession } from '../../domain/connect-session.ts'
import { accountComparison, type Connection, connectionState } from '../../domain/connection.ts'
import { Failure } from '../../domain/failure.ts'
import { ClientUnreadable } from '../../domain/integration.ts'
import { withCalledScopes } from '../../domain/linking/scope-choice.ts'
import { widerScope } from '../../domain/mcp/step-up.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isPinned, maxUnpinnedSeconds } from '../../domain/relink.ts'
import type { Settings } from '../../domain/settings.ts'
import { type GrantLimit, originOf, reachedLimit } from '../../domain/stored-grant.ts'
import { assertActive } from '../../domain/tenant.ts'
import { isTestTenant, type TestOutcome } from '../../domain/test-mode/test-mode.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import {
  assertChallenge,
  assertInTestMode,
  assertRegisteredReturn,
  assertScopes,
  inputInvalid,
  newSession,
} from '../../linking/flows/mint-connect-session.ts'
import { findRelinkable, type LinkableIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { tenantOf } from '../../tenants/flows/manage-tenants.ts'
import { liveConnection, type OnConnection } from './own-connection.ts'
import { undefinedIfAway } from './tool-list.ts'

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
  const relinkable = await findRelinkable(ports, connection)
  const offered = ports.integrations.of(connection)
  if (offered) assertScopes(offered, input.scopes, connection)
  const grantLimit = await limitOf(ports, connection, relinkable)
  if (returnUrl !== undefined && !isByUser(input)) {
    await assertRegisteredReturn(ports, { actor, tenant, returnUrl }, owner.returnUrls)
  }
  await askForMissingScope(ports, connection)
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
      scopes: input.scopes,
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
        scopes: input.scopes,
      },
      before: connectionState(connection),
      after: connectionState(connection),
    },
  )
  return { session, url, grantLimit }
}

/** The loop that reads problems may be seconds behind the user, whose call failed just now. */
async function askForMissingScope(ports: Ports, connection: Connection) {
  if (isTestTenant(connection.tenant)) return
  const problems = (await ports.grantProblems.of(connection).catch(undefinedIfAway)) ?? []
  const missing = problems.flatMap(({ scope }) => scope ?? [])
  if (missing.length > 0) await rememberMissingScope(ports, connection, missing.join(' '))
}

/** A re-link requests it too. Only scopes of MCP servers, and optional ones of the integration: others are requested. */
export async function rememberMissingScope(
  { connections, integrations }: Pick<Ports, 'connections' | 'integrations'>,
  connection: Connection,
  scope: string,
): Promise<void> {
  const integration = integrations.of(connection)
  if (integration === undefined) return
  if (integration.mcpUrl === undefined) {
    const values = withCalledScopes(integration, connection, scope.split(' '))
    if (values) await connections.rememberScopes(connection.id, values)
    return
  }
  const wider = widerScope(connection.config.scope, scope)
  if (wider) await connections.rememberScopes(connection.id, { scope: wider })
}

/** Returns undefined if a reconnect link would work. */
export async function relinkObstacle(
  ports: Pick<Ports, 'tenants' | 'integrations'>,
  connection: Connection,
): Promise<'tenant_inactive' | 'client_missing' | undefined> {
  if ((await ports.tenants.find(connection.tenant))?.status !== 'active') return 'tenant_inactive'
  const found = await findRelinkable(ports, connection).catch((error) =>
    error instanceof ClientUnreadable ? undefined : undefinedIfMissing(error),
  )
  return found ? undefined : 'client_missing'
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

type Why = { reason: string; following?: undefined } | { reason?: undefined; following: 'manage_page' | 'repair_page' }

export type RelinkConnection = Omit<OnConnection, 'reason'> &
  Why & {
    returnUrl?: string | undefined
    completionChallenge?: string | undefined
    ttlSeconds?: number | undefined
    allowOtherAccount?: boolean | undefined
    locale?: string | undefined
    /** Requested in addition to those that the connection requests or has. */
    scopes?: string[] | undefined
    testOutcome?: TestOutcome | undefined
  }

const usualSeconds = 24 * 60 * 60

function assertMayOverride({ allowOtherAccount, tenant }: RelinkConnection) {
  if (allowOtherAccount && tenant !== undefined) {
    throw new Failure('key_limited', 'Only a key of the deployment may allow a different account.')
  }
}

const isByConsole = ({ actor }: RelinkConnection) => actor.kind === 'support'

const isByUser = ({ following }: RelinkConnection) => following !== undefined

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
