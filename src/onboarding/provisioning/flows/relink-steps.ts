// A re-link makes before it breaks: the new grant is compared with the connection and tried, then it takes the place
// of the one in use, and only when the function works with it is the old one let go. Whatever fails on the way, the
// connection is as it was.

import { accountComparison, type Connection, connectionSnapshot } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { rotatesRefreshTokens } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import type { PlatformGrant } from '../../domain/ports/platform.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import { isSameAccount, lostScopes } from '../../domain/relink.ts'
import { missingScopes } from '../../domain/scopes.ts'
import {
  isIssuedBy,
  isUnrevoked,
  mayRevoke,
  originOf,
  previousSeconds,
  revocationTries,
  rollbackRefusal,
  unrevokedCauses,
} from '../../domain/stored-grant.ts'
import { relinkedEvent } from '../../domain/tenant-event.ts'
import { issuedTo } from '../../tenants/flows/find-client.ts'
import { askForOtherAccount, decideWithoutRefreshToken, lacksToken } from './consent-again.ts'
import type { Decision, Step, StepContext, Steps } from './decision.ts'
import { grantChanges, hasRotated, openEscrow, rereadGrant } from './escrowed-grant.ts'
import { revoking } from './revoking-step.ts'
import { openStoredGrant, revokeStoredGrant, sharesGrant } from './stored-grant.ts'
import { refreshOnce } from './trial-refresh.ts'
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
    const { platform } = context.needs
    if (context.settings.connectionPut) {
      await platform.replaceConnection({ ...link, connectionName: connection.name }, grant)
    } else await platform.createConnection(link, grant)
    return { kind: 'move', to: 'connection_ready' }
  },

  connection_ready: async (context, link) => {
    const connection = await lockedConnection(context, link)
    const { connectionPut, verifyFunctions } = context.settings
    const functionUrl = connectionPut ? connection.functionUrl : (await context.needs.platform.pointFunction(link)).url
    const next = verifyFunctions ? undefined : skipVerification
    return { kind: 'move', to: 'function_ready', changes: { functionUrl }, next }
  },

  function_ready: async (context, link) => {
    const connection = await lockedConnection(context, link)
    const functionUrl = link.functionUrl ?? connection.functionUrl
    const connectionName = context.settings.connectionPut ? connection.name : link.connectionName
    await verifyFunction(context.needs, link, { ...link, connectionName, functionUrl })
    await assertToolWorks(context.needs, context.ready.integration, functionUrl)
    return { kind: 'move', to: 'verified' }
  },

  verified: async (context, link) => {
    const connection = await lockedConnection(context, link)
    if (connection.name !== link.connectionName && !context.settings.connectionPut) {
      await context.needs.platform.deleteConnection({ ...link, connectionName: connection.name })
    }
    return finish(context, link, connection)
  },

  rolling_back: async (context, link) => {
    const connection = await lockedConnection(context, link)
    const { platform } = context.needs
    const before = { ...link, connectionName: connection.name }
    if (context.settings.connectionPut) await platform.replaceConnection(before, await grantInUse(context, link))
    else {
      await platform.pointFunction(before)
      await platform.deleteConnection(link)
    }
    return { kind: 'fail', cause: 'relink_rolled_back', revoke: true }
  },

  revoking,
}

/** The first step of a run that has just read the grant. */
export const beginRelink =
  (grant: Grant): Step =>
  async (context, link) =>
    compare(context, { link, connection: await lockedConnection(context, link), grant })

const skipVerification: Step = async () => ({ kind: 'move', to: 'verified' })

/** The connection, which nobody else changes meanwhile. */
async function lockedConnection({ needs }: StepContext, link: Link): Promise<Connection> {
  const isLocked = await needs.connections.lock(link.connectionId, link.id)
  const connection = await needs.connections.find(link.connectionId)
  if (!connection || connection.status === 'disconnected') throw new DependencyError('connection_gone')
  if (!isLocked) throw new DependencyError('connection_busy', { retry: { afterSeconds: 5 } })
  return connection
}

/** Whether the new grant is one that may take the place of the one in use. */
async function compare(
  context: StepContext,
  { link, connection, grant }: { link: Link; connection: Connection; grant: Grant },
): Promise<Decision> {
  const { ready } = context
  if (lacksToken(ready, grant)) return decideWithoutRefreshToken(ready, link, grant)
  if (!link.allowOtherAccount && !isSameAccount(connection, grant.account)) {
    return askForOtherAccount(context, link, grant)
  }
  const missing = [...missingScopes(ready.integration, grant.scopes), ...lostScopes(connection, grant.scopes)]
  const changes = grantChanges(ready, link, grant)
  if (missing.length === 0) {
    // The one run that knows that nobody has tried it yet.
    return { kind: 'move', to: 'testing', changes, next: (next, at) => test(next, at, { isFirstTry: true }) }
  }
  const missed = { ...changes, missingScopes: [...new Set(missing)] }
  return { kind: 'fail', cause: 'scope_missing', revoke: true, changes: missed }
}

async function test(context: StepContext, link: Link, { isFirstTry }: { isFirstTry: boolean }): Promise<Decision> {
  const { needs, ready } = context
  await lockedConnection(context, link)
  // Nothing is refreshed where access lasts: the function tries it, before the grant in use is let go.
  if (ready.integration.grant === 'lasting_access') return { kind: 'move', to: 'tested' }
  const { raw, trialRefresh } = await openEscrow(needs, link)
  if (trialRefresh) await needs.provider.rereadRefresh({ ...ready, raw }, trialRefresh)
  else {
    // A provider that rotates may have taken a try that nobody heard the answer to: a second one would end the grant.
    if (!isFirstTry && rotatesRefreshTokens(ready.integration)) {
      throw new DependencyError('grant_unusable', { detail: 'unknown' })
    }
    await refreshOnce(context, link, raw)
  }
  return { kind: 'move', to: 'tested' }
}

async function newGrant({ needs, ready }: StepContext, link: Link): Promise<PlatformGrant> {
  const { raw, trialRefresh } = await openEscrow(needs, link)
  const tokens = needs.provider.tokensOf(ready.integration, raw, trialRefresh)
  if (!tokens) throw new DependencyError('answer_malformed', { detail: 'refresh_token' })
  return { client: ready.client, config: link.config, ...tokens }
}

async function grantInUse({ needs, ready }: StepContext, link: Link): Promise<PlatformGrant> {
  const current = await needs.storedGrants.find(link.connectionId, 'current')
  const opened = current && openStoredGrant(needs, link, current)
  const tokens = opened && needs.provider.tokensOf(ready.integration, opened.raw, opened.trialRefresh)
  const issuing = issuedTo(ready, current?.clientId)
  if (!tokens || !issuing) throw new DependencyError('function_failed', { detail: 'no grant to go back to' })
  const connection = await needs.connections.find(link.connectionId)
  return { client: issuing.client, config: connection?.config, ...tokens }
}

async function finish(context: StepContext, link: Link, connection: Connection): Promise<Decision> {
  const { needs, ready, settings } = context
  const { integration } = ready
  const rotates = rotatesRefreshTokens(integration) || (await hasRotated(context, link))
  const previous = await retirePreviousGrant(context, { link, connection, rotates })
  const connected = {
    checkInSeconds: integration.health.everySeconds ?? settings.healthSeconds,
    ...originOf(ready),
    keepGrant: settings.keepGrants,
    rotates,
    previousSeconds: previous === 'kept' ? previousSeconds : 0,
  }
  const event = { id: needs.tokens.id('evt'), ...relinkedEvent(link) }
  return {
    kind: 'move',
    to: 'linked',
    changes: { escrow: null, connected, event },
    // If the account was not known before, it is now that of the user who consented.
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

/** Revoked where that ends it alone; kept for a while where it can be gone back to; otherwise forgotten. */
async function retirePreviousGrant(
  { needs, ready }: StepContext,
  { link, connection, rotates }: { link: Link; connection: Connection; rotates: boolean },
): Promise<'unknown' | 'revoked' | 'forgotten' | 'kept'> {
  const previous = await needs.storedGrants.find(connection.id, 'current')
  if (!previous) return 'unknown'
  // Nobody goes back to another account's grant, so it is not kept, and it ends unless others live off it.
  const isOthers = !isSameAccount(connection, link.account)
  const underWay = { ...connection, except: connection.id }
  const isShared =
    !isOthers ||
    (await sharesGrant(needs, ready, connection, previous)) ||
    (await needs.links.hasConsentUnderWay(underWay))
  if (mayRevoke(ready.integration.revocation.reach, isShared)) {
    const outcome = await revokeStoredGrant(needs, ready, connection, previous)
    if (outcome === 'revoked') return 'revoked'
    if (isOthers && isUnrevoked(outcome) && link.attempts < revocationTries)
      throw new DependencyError(unrevokedCauses[outcome], { retry: {}, detail: 'revocation' })
  }
  // Nor to one of another authorization server.
  const isElsewhere = !isIssuedBy(ready.integration, connection.config)
  return isOthers || isElsewhere || rollbackRefusal(previous, rotates, ready.client.id) ? 'forgotten' : 'kept'
}
