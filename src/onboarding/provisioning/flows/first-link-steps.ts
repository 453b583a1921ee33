// A first link: a connection with the new grant, a function that uses it, and a look whether both work.

import type { FactsOf } from '../../domain/audit/audit-entry.ts'
import type { LinkOutcome } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { isBrokenGrant } from '../../domain/health/health.ts'
import { rotatesRefreshTokens } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import type { Grant, GrantTokens } from '../../domain/ports/provider.ts'
import type { LinkChanges } from '../../domain/ports/provisioning.ts'
import { missingScopes, unrequestedScopes } from '../../domain/scopes.ts'
import { originOf } from '../../domain/stored-grant.ts'
import { successEvent } from '../../domain/tenant-event.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'
import { admitLink, whileAdmitted } from './admit-link.ts'
import { decideWithoutRefreshToken, lacksToken } from './consent-again.ts'
import type { Decision, Step, StepContext, Steps } from './decision.ts'
import { accountChange, grantChanges, hasRotated, openEscrow, rereadGrant } from './escrowed-grant.ts'
import { isTried, refreshOnceOrReread, tryFirstGrant, whenUnusable } from './first-link-trial.ts'
import { revoking } from './revoking-step.ts'
import { verifyFunction } from './verify-function.ts'

export const firstLinkSteps: Steps = {
  escrowed: async (context, link) =>
    connect(context, link, { grant: await rereadGrant(context, link), isFresh: false }),

  connection_ready: whileAdmitted(async (context, link) => {
    const { url } = await context.needs.platform.createFunction(link)
    return functionMade(context, link, { functionUrl: url })
  }),

  function_ready: whileAdmitted(async (context, link) => {
    const { platform } = context.needs
    const functionUrl = link.functionUrl ?? (await platform.createFunction(link)).url
    const { verifyFunctions } = context.settings
    // Side by side: the user waits for the slower of the two.
    const found = await Promise.all([
      isTried(context, link) ? tryFirstGrant(context, link) : undefined,
      verifyFunctions ? verifyFirstGrant(context, link, functionUrl) : undefined,
    ])
    return (
      found.find((decision) => decision !== undefined) ??
      finish(context, link, { functionUrl }, verifyFunctions ? { verified: true } : {})
    )
  }),

  revoking,
}

/** Returns undefined if the function works. One that forwards to an MCP server also shows whether that takes the grant. */
async function verifyFirstGrant(context: StepContext, link: Link, functionUrl: string): Promise<Decision | undefined> {
  try {
    await verifyFunction(context.needs, link, { ...link, functionUrl })
    return undefined
  } catch (error) {
    if (!(error instanceof DependencyError) || !isBrokenGrant(error.cause)) throw error
    const cause = error.cause === 'grant_revoked' ? 'grant_unusable' : error.cause
    return whenUnusable(context, link, new DependencyError(cause, { detail: error.detail }))
  }
}

/** The first step of a run that has just read the grant. */
export const beginFirstLink =
  (grant: Grant): Step =>
  (context, link) =>
    connect(context, link, { grant, isFresh: true })

async function connect(context: StepContext, link: Link, found: { grant: Grant; isFresh: boolean }): Promise<Decision> {
  const { needs, ready } = context
  const { grant } = found
  if (lacksToken(ready, grant)) return decideWithoutRefreshToken(ready, link, grant)
  const missing = missingScopes(ready.integration, grant.scopes)
  if (missing.length > 0) {
    const changes = { ...accountChange(grant), missingScopes: missing }
    return { kind: 'fail', cause: 'scope_missing', revoke: true, changes }
  }
  const refusedOrRelink = await admitLink(context, link, found)
  if (refusedOrRelink) return refusedOrRelink
  await needs.platform.createConnection(link, {
    client: ready.client,
    config: { ...link.config, ...grant.config },
    ...(await grantTokens(context, link, grant)),
  })
  return makeFunction(context, link, grantChanges(ready, link, grant))
}

/** An exchange is made here, once: what it brought before is read again. */
async function grantTokens(context: StepContext, link: Link, grant: Grant): Promise<GrantTokens> {
  const { needs, ready } = context
  if (ready.integration.grant === 'refresh' && grant.refreshToken) return { refreshToken: grant.refreshToken }
  if (ready.integration.grant === 'exchange') await refreshOnceOrReread(context, link)
  const { raw, trialRefresh } = await openEscrow(needs, link)
  const tokens = needs.provider.tokensOf(ready.integration, raw, trialRefresh)
  if (!tokens) throw new DependencyError('answer_malformed', { detail: 'access_token' })
  return tokens
}

/** Who looks at a link that waits longer than this should see what it waits for. */
const promptMs = 300

/**
 * A function that comes at once is written together with the connection. In between no promise needs a commit: the
 * names are known, so whoever takes the link up finds the connection. One that is late or refused does need it: the
 * connection is not to be asked for again each time. The entry says how long the function took, so that the record
 * still tells one from the other.
 */
export async function makeFunction(
  context: StepContext,
  link: Link,
  changes: LinkChanges,
  made: (url: string, facts: StepFacts) => Promise<Decision> = (functionUrl, facts) =>
    functionMade(context, link, { ...changes, functionUrl }, facts),
): Promise<Decision> {
  const { platform, pause } = context.needs
  const unrequestedScopes = beyondRequest(context.ready, changes.grantedScopes)
  const askedAt = performance.now()
  const creating = platform.createFunction(link)
  const prompt = await Promise.race([creating, pause(promptMs)]).catch(() => undefined)
  if (prompt) {
    const functionMs = Math.round(performance.now() - askedAt)
    return made(prompt.url, { unrequestedScopes, functionMs })
  }
  const next: Step = async (nextContext, at) => functionMade(nextContext, at, { functionUrl: (await creating).url })
  return { kind: 'move', to: 'connection_ready', changes, facts: { unrequestedScopes }, next }
}

export type StepFacts = FactsOf<'link.function_ready'>

export async function functionMade(
  context: StepContext,
  link: Link,
  changes: LinkChanges,
  facts: StepFacts = {},
): Promise<Decision> {
  if (!context.settings.verifyFunctions && !isTried(context, link)) return finish(context, link, changes, facts)
  return { kind: 'move', to: 'function_ready', changes, facts }
}

/** `rotated`: whether the provider replaced the token when it was tried, where this run has seen the answer. */
export async function finish(
  context: StepContext,
  link: Link,
  changes: LinkChanges,
  facts: FactsOf<'link.linked'>,
  rotated?: boolean,
): Promise<Decision> {
  // Who imports a hundred thousand grants reads the report, and is not sent as many events.
  const event = link.importId ? {} : { event: { id: context.needs.tokens.id('evt'), ...successEvent(link) } }
  const ended = { ...changes, escrow: null, connected: await connectedBy(context, link, rotated), ...event }
  return { kind: 'move', to: 'linked', changes: ended, facts }
}

/** A provider may name as many scopes as it likes; the audit keeps the first of them. */
const mostUnrequested = 20

function beyondRequest({ integration }: ReadyIntegration, granted: readonly string[] = []): string[] | undefined {
  const unrequested = unrequestedScopes(integration, granted).slice(0, mostUnrequested)
  return unrequested.length > 0 ? unrequested.map((scope) => scope.slice(0, 100)) : undefined
}

async function connectedBy(context: StepContext, link: Link, rotated: boolean | undefined): Promise<LinkOutcome> {
  const { integration } = context.ready
  const { healthSeconds, keepGrants } = context.settings
  // What was imported was tried, whatever the profile says: the answer shows whether the token was replaced.
  const rotates =
    rotatesRefreshTokens(integration) || (link.importId !== undefined && (rotated ?? (await hasRotated(context, link))))
  return {
    checkInSeconds: integration.health.everySeconds ?? healthSeconds,
    ...originOf(context.ready),
    keepGrant: keepGrants,
    rotates,
    previousSeconds: undefined,
  }
}
