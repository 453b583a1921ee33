import { accountComparison, type Connection, connectionSnapshot } from '../../domain/connection.ts'
import { DependencyError, errorFacts, isFinal } from '../../domain/dependency-error.ts'
import { rotatesRefreshTokens } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import { offersScope } from '../../domain/linking/scope-choice.ts'
import type { NoGrant, PlatformGrant } from '../../domain/ports/platform.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import { isSameAccount, lostScopes } from '../../domain/relink.ts'
import { missingScopes, requestedScopes } from '../../domain/scopes.ts'
import {
  isIssuedBy,
  isUnrevoked,
  previousSeconds,
  revocationTries,
  rollbackRefusal,
  unrevokedCauses,
} from '../../domain/stored-grant.ts'
import { relinkedEvent, successEvent } from '../../domain/tenant-event.ts'
import { issuedTo } from '../../tenants/flows/find-client.ts'
import { askForMoreScopes, askForOtherAccount, decideWithoutRefreshToken, lacksToken } from './consent-again.ts'
import type { AtStep, Decision, Step, StepContext, Steps } from './decision.ts'
import { grantChanges, hasRotated, linkOutcome, openEscrow, refreshOnce, rereadGrant } from './escrowed-grant.ts'
import { revoking } from './revoking-step.ts'
import { mayRevoke, openStoredGrant, revokeStoredGrant } from './stored-grant.ts'
import { assertToolWorks, verifyFunction } from './verify-function.ts'

export const relinkSteps: Steps = {
  escrowed: async (context, link) => {
    const connection = await lockedConnection(context, link)
    return compare(context, { link, connection, grant: await rereadGrant(context, link) })
  },

  testing: (context, link) => test(context, link, { isFirstTry: false }),

  tested: async (context, link) => {
    const connection = await lockedConnection(context, link)
    const grant = await newGrant(context, link)
    const { platform } = context.ports
    if (context.settings.connectionPut) {
      await platform.replaceConnection({ ...link, connectionName: connection.name }, grant)
    } else await platform.createConnection(link, grant)
    return { kind: 'move', to: 'connection_ready' }
  },

  connection_ready: async (context, link) => {
    const connection = await lockedConnection(context, link)
    const { connectionPut, verifyFunctions } = context.settings
    const at = { ...link, alias: connection.alias ?? link.alias }
    const functionUrl = connectionPut ? connection.functionUrl : (await context.ports.platform.pointFunction(at)).url
    const next = verifyFunctions ? undefined : skipVerification
    return { kind: 'move', to: 'function_ready', changes: { functionUrl }, next }
  },

  function_ready: async (context, link) => {
    const connection = await lockedConnection(context, link)
    const functionUrl = link.functionUrl ?? connection.functionUrl
    const connectionName = context.settings.connectionPut ? connection.name : link.connectionName
    const at = { ...link, connectionName, functionUrl, alias: connection.alias ?? link.alias }
    await verifyFunction(context.ports, link, at)
    await assertToolWorks(context.ports, context.ready.integration, at)
    return { kind: 'move', to: 'verified' }
  },

  verified: async (context, link) => {
    const connection = await lockedConnection(context, link)
    if (connection.name !== link.connectionName && !context.settings.connectionPut) {
      await context.ports.platform.deleteConnection({ ...link, connectionName: connection.name })
    }
    // A recognized connection takes the alias of the session if it has none.
    if (link.alias !== undefined && connection.alias === undefined) await context.ports.platform.nameFunction(link)
    return finish(context, link, connection)
  },

  rolling_back: async (context, link) => {
    const connection = await lockedConnection(context, link)
    const { platform } = context.ports
    const before = { ...link, connectionName: connection.name, alias: connection.alias }
    if (context.settings.connectionPut) await platform.replaceConnection(before, await grantInUse(context, link))
    else {
      await platform.pointFunction(before)
      await platform.deleteConnection(link)
    }
    return { kind: 'fail', cause: 'relink_rolled_back', revoke: true }
  },

  revoking,
}

export const beginRelink =
  (grant: Grant): Step =>
  async (context, link) =>
    compare(context, { link, connection: await lockedConnection(context, link), grant })

const skipVerification: Step = async () => ({ kind: 'move', to: 'verified' })

async function lockedConnection({ ports }: StepContext, link: Link): Promise<Connection> {
  const isLocked = await ports.connections.lock(link.connectionId, link.id)
  const connection = await ports.connections.find(link.connectionId)
  if (!connection || connection.status === 'disconnected') throw new DependencyError('connection_gone')
  if (!isLocked) throw new DependencyError('connection_busy', { retry: { afterSeconds: 5 } })
  return connection
}

async function compare(
  context: StepContext,
  { link, connection, grant }: { link: Link; connection: Connection; grant: Grant },
): Promise<Decision> {
  const { ready } = context
  if (lacksToken(ready, grant)) return decideWithoutRefreshToken(ready, link, grant)
  if (!link.allowOtherAccount && !isSameAccount(connection, grant.account)) {
    return askForOtherAccount(context, link, grant)
  }
  const { requested, unrequested } = lostBy(context, connection, grant)
  const missing = [...missingScopes(ready.integration, grant.scopes), ...requested]
  const changes = grantChanges(ready, link, grant)
  // A session for another connection may have been recognized: it did not ask for these.
  if (missing.length === 0 && unrequested.length > 0 && !link.forcedConsent)
    return askForMoreScopes(context, link, grant, unrequested)
  if (missing.length + unrequested.length === 0) {
    // Only this run knows that the grant has not been tried.
    return { kind: 'move', to: 'testing', changes, next: (next, at) => test(next, at, { isFirstTry: true }) }
  }
  const missed = { ...changes, missingScopes: [...new Set([...missing, ...unrequested])] }
  return { kind: 'fail', cause: 'scope_missing', revoke: true, changes: missed }
}

function lostBy({ ports, ready }: StepContext, connection: Connection, { scopes }: Grant) {
  const offered = ports.integrations.of(connection) ?? ready.integration
  const asked = new Set(requestedScopes(ready.integration))
  const isOffered = offersScope(offered, connection)
  const lost = lostScopes(connection, scopes, (scope) => asked.has(scope) || isOffered(scope))
  return {
    requested: lost.filter((scope) => asked.has(scope)),
    unrequested: lost.filter((scope) => !asked.has(scope)),
  }
}

async function test(context: StepContext, link: Link, { isFirstTry }: { isFirstTry: boolean }): Promise<Decision> {
  const { ports, ready } = context
  await lockedConnection(context, link)
  if (ready.integration.grant === 'lasting_access') return { kind: 'move', to: 'tested' }
  const { raw, trialRefresh } = await openEscrow(ports, link)
  if (trialRefresh) await ports.provider.rereadRefresh({ ...ready, raw }, trialRefresh)
  else {
    // The first attempt may have rotated the token; a second one would end the grant.
    if (!isFirstTry && rotatesRefreshTokens(ready.integration)) {
      throw new DependencyError('grant_unusable', { detail: 'unknown' })
    }
    await refreshOnce(context, link, raw)
  }
  return { kind: 'move', to: 'tested' }
}

async function newGrant({ ports, ready }: StepContext, link: Link): Promise<PlatformGrant> {
  const { raw, trialRefresh } = await openEscrow(ports, link)
  const tokens = ports.provider.tokensOf(ready.integration, raw, trialRefresh)
  if (!tokens) throw new DependencyError('answer_malformed', { detail: 'refresh_token' })
  return { client: ready.client, config: link.config, ...tokens }
}

async function grantInUse({ ports, ready }: StepContext, link: Link): Promise<PlatformGrant | NoGrant> {
  const connection = await ports.connections.find(link.connectionId)
  if (connection?.status === 'not_linked') return { config: connection.config }
  const current = await ports.storedGrants.find(link.connectionId, 'current')
  const opened = current && openStoredGrant(ports, link, current)
  const tokens = opened && ports.provider.tokensOf(ready.integration, opened.raw, opened.trialRefresh)
  const issuing = issuedTo(ready, current?.clientId)
  if (!tokens || !issuing) throw new DependencyError('function_failed', { detail: 'no grant to go back to' })
  return { client: issuing.client, config: connection?.config, ...tokens }
}

async function finish(context: StepContext, link: Link, connection: Connection): Promise<Decision> {
  const rotates = rotatesRefreshTokens(context.ready.integration) || (await hasRotated(context, link))
  const previous = await retirePreviousGrant(context, { link, connection, rotates })
  const connected = linkOutcome(context, rotates, previous === 'kept' ? previousSeconds : 0)
  const isFirst = connection.status === 'not_linked'
  const named = { ...link, alias: connection.alias ?? link.alias, labels: connection.labels ?? link.labels }
  const event = { id: context.ports.tokens.id('evt'), ...(isFirst ? successEvent(named) : relinkedEvent(named)) }
  return {
    kind: 'move',
    to: 'linked',
    changes: { escrow: null, connected, event },
    facts: { previousGrant: previous, ...accountComparison(connection) },
    before: connectionSnapshot(connection),
    after: connectionSnapshot(mended(connection, link)),
  }
}

const mended = (connection: Connection, link: Link): Connection => ({
  ...connection,
  status: 'active',
  cause: undefined,
  name: link.connectionName,
  account: link.account,
  scopes: link.grantedScopes ?? [],
  config: link.config,
})

/** Keeps the old grant if a rollback is possible. */
async function retirePreviousGrant(
  { ports, ready }: StepContext,
  { link, connection, rotates }: { link: Link; connection: Connection; rotates: boolean },
): Promise<'unknown' | 'revoked' | 'forgotten' | 'kept'> {
  const previous = await ports.storedGrants.find(connection.id, 'current')
  if (!previous) return 'unknown'
  const isOthers = !isSameAccount(connection, link.account)
  const user = { ...connection, exceptConnection: connection.id }
  const isAllowed = isOthers
    ? await mayRevoke(ports, ready, user, previous)
    : ready.integration.revocation.reach === 'token'
  if (isAllowed) {
    const outcome = await revokeStoredGrant(ports, ready, connection, previous)
    if (outcome === 'revoked') return 'revoked'
    if (isOthers && isUnrevoked(outcome) && link.attempts < revocationTries)
      throw new DependencyError(unrevokedCauses[outcome], { retry: {}, detail: 'revocation' })
  }
  const isElsewhere = !isIssuedBy(ready.integration, connection.config)
  return isOthers || isElsewhere || rollbackRefusal(previous, rotates, ready.client.id) ? 'forgotten' : 'kept'
}

export async function onRelinkFailure(
  context: StepContext,
  link: AtStep,
  error: DependencyError,
): Promise<Decision | undefined> {
  const isReplaced = link.state === 'connection_ready' || link.state === 'function_ready'
  // The previous grant ended with the same client, or with an earlier one.
  if (!isReplaced || !isFinal(link, error) || error.cause === 'client_forgotten') return undefined
  if (await isRollbackPossible(context, link)) {
    const changes = { cause: 'relink_rolled_back' as const }
    return { kind: 'move', to: 'rolling_back', changes, facts: errorFacts(error) }
  }
  const facts = { detail: error.message }
  return { kind: 'park', cause: 'function_failed', resumeFrom: link.state, facts }
}

async function isRollbackPossible({ ports, ready, settings }: StepContext, link: Link): Promise<boolean> {
  if (!settings.connectionPut) return true
  if ((await ports.connections.find(link.connectionId))?.status === 'not_linked') return true
  const current = await ports.storedGrants.find(link.connectionId, 'current')
  return rollbackRefusal(current, rotatesRefreshTokens(ready.integration), ready.client.id) === undefined
}
