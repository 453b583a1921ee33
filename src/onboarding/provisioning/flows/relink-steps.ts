// A re-link makes before it breaks: the new grant is compared with the connection and tried, then it takes the place
// of the one in use, and only when the function works with it is the old one let go. Whatever fails on the way, the
// connection is as it was.
import { aboutLink } from '../../domain/audit-entry.ts'
import { type Connection, connectionSnapshot } from '../../domain/connection.ts'
import { DependencyError, errorFacts, isFinal } from '../../domain/dependency-error.ts'
import { judgeTry } from '../../domain/health.ts'
import { missingScopes } from '../../domain/integration.ts'
import { type Link, type ProvisioningState, retryDelaySeconds } from '../../domain/link.ts'
import type { PlatformGrant } from '../../domain/ports/platform.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import { isSameAccount, lostScopes } from '../../domain/relink.ts'
import { place } from '../../domain/sealed-place.ts'
import { mayRevoke, previousSeconds, revocationTries, rollbackRefusal } from '../../domain/stored-grant.ts'
import { relinkedEvent } from '../../domain/tenant-event.ts'
import {
  actorIn,
  advance,
  type Context,
  consentAgainSeconds,
  giveBack,
  holdUnwanted,
  LostLink,
  openEscrow,
  openTrialRefresh,
  rereadGrant,
  revokeUnwanted,
  type Steps,
  withoutRefreshToken,
} from './advance-link.ts'
import { givingBack } from './revoke-and-fail.ts'
import { openStoredGrant, revokeStoredGrant } from './stored-grant.ts'

export const relinkSteps: Steps = {
  async escrowed(context, link) {
    const connection = await heldConnection(context, link)
    const grant = context.fresh.grant ?? (await rereadGrant(context, link))
    if (!grant.refreshToken) return withoutRefreshToken(context, link)
    if (!link.allowOtherAccount && !isSameAccount(connection, grant.account)) return sendBack(context, link, grant)
    const missing = [...missingScopes(context.ready.integration, grant.scopes), ...lostScopes(connection, grant.scopes)]
    const changes = { grantedScopes: grantedScopes(context, grant), ...(grant.account && { account: grant.account }) }
    if (missing.length > 0) {
      return giveBack(context, link, { cause: 'scope_missing' }, { ...changes, missingScopes: [...new Set(missing)] })
    }
    const proving = await advance(context, link, 'testing', changes, {})
    context.fresh.untried = true
    return proving
  },

  async testing(context, link) {
    await heldConnection(context, link)
    const raw = await openEscrow(context.needs, link)
    const trialRefresh = await openTrialRefresh(context.needs, link)
    if (trialRefresh) await context.needs.provider.rereadRefresh({ ...context.ready, raw }, trialRefresh)
    else await tryGrant(context, link, raw)
    return advance(context, link, 'tested', {}, {})
  },

  async tested(context, link) {
    const connection = await heldConnection(context, link)
    const grant = await newGrant(context, link)
    if (context.settings.connectionPut) {
      await context.needs.platform.replaceConnection({ ...link, connectionName: connection.name }, grant)
    } else await context.needs.platform.createConnection(link, grant)
    return advance(context, link, 'connection_ready', {}, {})
  },

  async connection_ready(context, link) {
    const connection = await heldConnection(context, link)
    const { connectionPut, verifyFunctions } = context.settings
    const functionUrl = connectionPut ? connection.functionUrl : (await context.needs.platform.pointFunction(link)).url
    const ready = await advance(context, link, 'function_ready', { functionUrl }, {})
    return verifyFunctions ? ready : advance(context, ready, 'verified', {}, {})
  },

  async function_ready(context, link) {
    const { functionUrl } = await heldConnection(context, link)
    await context.needs.platform.verifyFunction({ ...link, functionUrl: link.functionUrl ?? functionUrl })
    await tryTool(context, link.functionUrl ?? functionUrl)
    return advance(context, link, 'verified', {}, {})
  },

  async verified(context, link) {
    const connection = await heldConnection(context, link)
    if (connection.name !== link.connectionName && !context.settings.connectionPut) {
      await context.needs.platform.deleteConnection({ ...link, connectionName: connection.name })
    }
    return finish(context, link, connection)
  },

  async rolling_back(context, link) {
    const connection = await heldConnection(context, link)
    const { platform } = context.needs
    const before = { ...link, connectionName: connection.name }
    if (context.settings.connectionPut) await platform.replaceConnection(before, await grantBefore(context, link))
    else {
      await platform.pointFunction(before)
      await platform.deleteConnection(link)
    }
    return giveBack(context, link, { cause: 'relink_rolled_back' })
  },

  revoking: givingBack,
}

/** What trouble means for a re-link, where it means something else than for a first link. It may have to go back. */
export async function setRelinkBack(context: Context, link: Link, trouble: DependencyError): Promise<Link | undefined> {
  if (link.state === 'testing' && trouble.retry && context.ready.integration.rotatesRefreshTokens) {
    // It was not sent, or not taken. From the state before, another worker may send it; from this one nobody would.
    const dueInSeconds = retryDelaySeconds(4, trouble.retry.afterSeconds, context.needs.chance())
    await advance(context, link, 'escrowed', { cause: trouble.cause, dueInSeconds }, errorFacts(trouble))
    throw new LostLink()
  }
  const isSwapped = link.state === 'connection_ready' || link.state === 'function_ready'
  if (!isSwapped || !isFinal(link, trouble)) return undefined
  const resumeFrom = link.state as ProvisioningState
  if (await canGoBack(context, link)) {
    const changes = { cause: 'relink_rolled_back' as const }
    return advance(context, link, 'rolling_back', changes, errorFacts(trouble))
  }
  return advance(context, link, 'needs_attention', { cause: 'function_failed', resumeFrom }, errorFacts(trouble))
}

async function canGoBack({ needs, ready, settings }: Context, link: Link): Promise<boolean> {
  if (!settings.connectionPut) return true
  const current = await needs.storedGrants.find(link.connectionId, 'current')
  return rollbackRefusal(current, ready.integration.rotatesRefreshTokens, ready.client.id) === undefined
}

/** The connection, which nobody else changes meanwhile. */
async function heldConnection({ needs }: Context, link: Link): Promise<Connection> {
  const held = await needs.connections.lock(link.connectionId, link.id)
  const connection = await needs.connections.find(link.connectionId)
  if (!connection || connection.status === 'disconnected') throw new DependencyError('connection_gone')
  if (!held) throw new DependencyError('connection_busy', { retry: { afterSeconds: 5 } })
  return connection
}

const grantedScopes = ({ ready }: Context, { scopes }: Grant) =>
  scopes ?? ready.integration.scopes.map(({ name }) => name)

/** Another account: what it granted is given back, and the user may sign in once more. */
async function sendBack(context: Context, link: Link, { account }: Grant): Promise<Link> {
  const grant = await revokeUnwanted(context, link, account)
  if (grant === 'refused')
    return holdUnwanted(context, link, { cause: 'account_mismatch', grant }, account && { account })
  const changes = {
    forcedConsent: true,
    escrow: null,
    dueInSeconds: consentAgainSeconds,
    cause: 'account_mismatch' as const,
    ...(account && { account }),
  }
  const moved = await context.needs.links.move(link, 'authorizing', changes, {
    action: 'relink.account_mismatch',
    actor: actorIn(context),
    ...aboutLink(link),
    facts: { grant },
  })
  if (!moved) throw new LostLink()
  return moved
}

/** Uses the new grant once. Where that spends the refresh token, nobody does it twice. */
async function tryGrant({ needs, ready, fresh }: Context, link: Link, raw: Awaited<ReturnType<typeof openEscrow>>) {
  if (!fresh.untried && ready.integration.rotatesRefreshTokens)
    throw new DependencyError('grant_unusable', { detail: 'unknown' })
  fresh.untried = false
  const keep: Parameters<typeof needs.provider.refresh>[0]['keep'] = async (answer) => {
    const kept = await needs.links.keepTrialRefresh(link, needs.seal.seal(answer, place.trialRefresh(link)))
    if (!kept) throw new LostLink()
  }
  await needs.provider.refresh({ ...ready, raw, keep }).catch((error) => {
    const isWorthless =
      error instanceof DependencyError && (error.cause === 'grant_revoked' || error.cause === 'exchange_unknown')
    throw isWorthless ? new DependencyError('grant_unusable', { detail: error.cause }) : error
  })
}

async function newGrant({ needs, ready }: Context, link: Link): Promise<PlatformGrant> {
  const [raw, trialRefresh] = [await openEscrow(needs, link), await openTrialRefresh(needs, link)]
  const refreshToken = needs.provider.refreshTokenOf(raw, trialRefresh)
  if (!refreshToken) throw new DependencyError('answer_malformed', { detail: 'refresh_token' })
  return { client: ready.client, refreshToken }
}

async function grantBefore(
  { needs, ready }: Context,
  { tenant, workspace, connectionId }: Link,
): Promise<PlatformGrant> {
  const current = await needs.storedGrants.find(connectionId, 'current')
  const opened = current && openStoredGrant(needs, { tenant, workspace }, current)
  const refreshToken = opened && needs.provider.refreshTokenOf(opened.raw, opened.trialRefresh)
  if (!refreshToken) throw new DependencyError('function_failed', { detail: 'no grant to go back to' })
  return { client: ready.client, refreshToken }
}

/** A tool sees what a list of tools does not: whether the third party accepts what the platform has now. */
async function tryTool({ needs, ready }: Context, functionUrl: string): Promise<void> {
  const { tool, arguments: args = {} } = ready.integration.health
  if (tool === undefined) return
  const { outcome, cause } = judgeTry(await needs.platform.tryTool(functionUrl, { name: tool, arguments: args }))
  if (outcome === 'broken') throw new DependencyError('function_failed', { detail: cause })
}

async function finish(context: Context, link: Link, connection: Connection): Promise<Link> {
  const { needs, ready, settings } = context
  const { integration, client } = ready
  const rotates = integration.rotatesRefreshTokens || (await hasRotated(context, link))
  const previous = await letPreviousGo(context, link, connection, rotates)
  return advance(
    context,
    link,
    'linked',
    {
      escrow: null,
      connected: {
        checkInSeconds: integration.health.everySeconds ?? settings.healthSeconds,
        clientId: client.id,
        keepGrant: settings.keepGrants,
        rotates,
        previousSeconds: previous === 'kept' ? previousSeconds : 0,
      },
      event: { id: needs.tokens.id('evt'), ...relinkedEvent(link) },
    },
    { previousGrant: previous },
    { before: connectionSnapshot(connection), after: connectionSnapshot(mended(connection, link)) },
  )
}

const mended = (connection: Connection, link: Link): Connection => ({
  ...connection,
  status: 'active',
  cause: undefined,
  name: link.connectionName,
  account: link.account,
  scopes: link.grantedScopes ?? [],
})

async function hasRotated({ needs, ready }: Context, link: Link): Promise<boolean> {
  const [raw, trialRefresh] = [await openEscrow(needs, link), await openTrialRefresh(needs, link)]
  return trialRefresh ? (await needs.provider.rereadRefresh({ ...ready, raw }, trialRefresh)).rotated : false
}

/** Revoked where that ends it alone; kept for a while where it can be gone back to; otherwise forgotten. */
async function letPreviousGo({ needs, ready }: Context, link: Link, connection: Connection, rotates: boolean) {
  const previous = await needs.storedGrants.find(connection.id, 'current')
  if (!previous) return 'unknown'
  const { id, integration, account } = connection
  // Nobody goes back to another account's grant, so it is not kept, and it ends unless others live off it.
  const isOthers = !isSameAccount(connection, link.account)
  const consent = { integration, accountId: account?.id ?? '', clientId: ready.client.id, except: id }
  const isShared = !isOthers || (await needs.storedGrants.sharesConsent(consent))
  if (mayRevoke(ready.integration.revocationReach, isShared)) {
    if (await revokeStoredGrant(needs, ready, connection, previous)) return 'revoked'
    const isWorthAnotherTry = isOthers && previous.sealed !== undefined && link.attempts < revocationTries
    if (isWorthAnotherTry) throw new DependencyError('provider_unavailable', { retry: {}, detail: 'revocation' })
  }
  return isOthers || rollbackRefusal(previous, rotates, ready.client.id) ? 'forgotten' : 'kept'
}
