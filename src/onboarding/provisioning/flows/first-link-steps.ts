import type { FactsOf } from '../../domain/audit/audit-entry.ts'
import { type Cause, causeEntry } from '../../domain/cause.ts'
import type { LinkOutcome } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { isBrokenGrant } from '../../domain/health/health.ts'
import { rotatesRefreshTokens } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import type { Grant, GrantTokens } from '../../domain/ports/provider.ts'
import type { LinkChanges } from '../../domain/ports/provisioning.ts'
import { missingScopes, unrequestedScopes } from '../../domain/scopes.ts'
import { successEvent } from '../../domain/tenant-event.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'
import { admitLink, whileAdmitted } from './admit-link.ts'
import { decideWithoutRefreshToken, lacksToken } from './consent-again.ts'
import type { Decision, Step, StepContext, Steps } from './decision.ts'
import { errorIfForgotten } from './discover-server.ts'
import { eventOf } from './end-link.ts'
import {
  accountChange,
  grantChanges,
  hasRotated,
  linkOutcome,
  openEscrow,
  refreshOnce,
  rereadGrant,
} from './escrowed-grant.ts'
import { clearPlatform, revoking } from './revoking-step.ts'
import { verifyFunction } from './verify-function.ts'

export const firstLinkSteps: Steps = {
  escrowed: async (context, link) =>
    connect(context, link, { grant: await rereadGrant(context, link), isFresh: false }),

  connection_ready: whileAdmitted(async (context, link) => {
    const { url } = await context.ports.platform.createFunction(link)
    return functionMade(context, link, { functionUrl: url })
  }),

  function_ready: whileAdmitted(async (context, link) => {
    const { platform } = context.ports
    const functionUrl = link.functionUrl ?? (await platform.createFunction(link)).url
    const { verifyFunctions } = context.settings
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

/** A function that forwards to an MCP server also shows whether that server accepts the grant. */
async function verifyFirstGrant(context: StepContext, link: Link, functionUrl: string): Promise<Decision | undefined> {
  try {
    await verifyFunction(context.ports, link, { ...link, functionUrl })
    return undefined
  } catch (error) {
    const isFinal = (cause: Cause) => isBrokenGrant(cause) || cause === 'mcp_server_redirects'
    if (!(error instanceof DependencyError) || !isFinal(error.cause)) throw error
    const cause = error.cause === 'grant_revoked' ? 'grant_unusable' : error.cause
    return whenUnusable(context, link, new DependencyError(cause, { detail: error.detail }))
  }
}

export const beginFirstLink =
  (grant: Grant): Step =>
  (context, link) =>
    connect(context, link, { grant, isFresh: true })

async function connect(context: StepContext, link: Link, found: { grant: Grant; isFresh: boolean }): Promise<Decision> {
  const { ports, ready } = context
  const { grant } = found
  if (lacksToken(ready, grant)) return decideWithoutRefreshToken(ready, link, grant)
  const missing = missingScopes(ready.integration, grant.scopes)
  if (missing.length > 0) {
    const changes = { ...accountChange(grant), missingScopes: missing }
    return { kind: 'fail', cause: 'scope_missing', revoke: true, changes }
  }
  const refusedOrRelink = await admitLink(context, link, found)
  if (refusedOrRelink) return refusedOrRelink
  await ports.platform.createConnection(link, {
    client: ready.client,
    config: { ...link.config, ...grant.config },
    ...(await grantTokens(context, link, grant)),
  })
  return makeFunction(context, link, grantChanges(ready, link, grant))
}

async function grantTokens(context: StepContext, link: Link, grant: Grant): Promise<GrantTokens> {
  const { ports, ready } = context
  if (ready.integration.grant === 'refresh' && grant.refreshToken) return { refreshToken: grant.refreshToken }
  if (ready.integration.grant === 'exchange') await refreshOnceOrReread(context, link)
  const { raw, trialRefresh } = await openEscrow(ports, link)
  const tokens = ports.provider.tokensOf(ready.integration, raw, trialRefresh)
  if (!tokens) throw new DependencyError('answer_malformed', { detail: 'access_token' })
  return tokens
}

const promptMs = 300

/** One move if the function is ready at once. Else the connection is written first, so retries do not request it. */
export async function makeFunction(
  context: StepContext,
  link: Link,
  changes: LinkChanges,
  made: (url: string, facts: StepFacts) => Promise<Decision> = (functionUrl, facts) =>
    functionMade(context, link, { ...changes, functionUrl }, facts),
): Promise<Decision> {
  const { platform, pause } = context.ports
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

type StepFacts = FactsOf<'link.function_ready'>

export async function functionMade(
  context: StepContext,
  link: Link,
  changes: LinkChanges,
  facts: StepFacts = {},
): Promise<Decision> {
  if (!context.settings.verifyFunctions && !isTried(context, link)) return finish(context, link, changes, facts)
  return { kind: 'move', to: 'function_ready', changes, facts }
}

/** `rotated`: whether the trial replaced the token. Undefined if this run has not seen the response. */
export async function finish(
  context: StepContext,
  link: Link,
  changes: LinkChanges,
  facts: FactsOf<'link.linked'>,
  rotated?: boolean,
): Promise<Decision> {
  const event = eventOf(context.ports, link, successEvent(link))
  const ended = { ...changes, escrow: null, connected: await connectedBy(context, link, rotated), ...event }
  return { kind: 'move', to: 'linked', changes: ended, facts }
}

const maxUnrequested = 20

function beyondRequest({ integration }: ReadyIntegration, granted: readonly string[] = []): string[] | undefined {
  const unrequested = unrequestedScopes(integration, granted).slice(0, maxUnrequested)
  return unrequested.length > 0 ? unrequested.map((scope) => scope.slice(0, 100)) : undefined
}

export async function connectedBy(
  context: StepContext,
  link: Link,
  rotated: boolean | undefined,
): Promise<LinkOutcome> {
  const { integration } = context.ready
  // An imported token was always tried, so its response shows whether it rotated.
  const rotates =
    rotatesRefreshTokens(integration) || (link.kind === 'import' && (rotated ?? (await hasRotated(context, link))))
  return linkOutcome(context, rotates, undefined)
}

/** Not if rotation is unknown: the platform has the token and would need the new one. Imports were tried before. */
const isTried = ({ ready: { integration } }: StepContext, { kind }: Pick<Link, 'kind'>): boolean =>
  kind !== 'import' && integration.grant === 'refresh' && integration.rotation === 'none'

async function tryFirstGrant(context: StepContext, link: Link): Promise<Decision | undefined> {
  try {
    const { rotated } = await refreshOnceOrReread(context, link)
    if (rotated) await bringNewest(context, link)
    return undefined
  } catch (error) {
    if (!(error instanceof DependencyError) || error.retry || error.cause === 'answer_unreadable') throw error
    return whenUnusable(context, link, error)
  }
}

async function refreshOnceOrReread(context: StepContext, link: Link) {
  const { ports, ready } = context
  const { raw, trialRefresh } = await openEscrow(ports, link)
  return trialRefresh ? ports.provider.rereadRefresh({ ...ready, raw }, trialRefresh) : refreshOnce(context, link, raw)
}

/** The profile is wrong: the provider rotated the token, so the platform's copy may be invalid. */
async function bringNewest({ ports, ready, settings }: StepContext, link: Link): Promise<void> {
  const { raw, trialRefresh } = await openEscrow(ports, link)
  const tokens = ports.provider.tokensOf(ready.integration, raw, trialRefresh)
  if (tokens && settings.connectionPut) {
    await ports.platform.replaceConnection(link, { client: ready.client, config: link.config, ...tokens })
  }
}

async function whenUnusable({ ports, ready }: StepContext, link: Link, found: DependencyError): Promise<Decision> {
  const error = await errorIfForgotten(ports, ready, found)
  const facts = { detail: error.detail || undefined }
  if (causeEntry(error.cause).faultOf) {
    return { kind: 'park', cause: error.cause, resumeFrom: 'function_ready', facts }
  }
  await clearPlatform(ports, link)
  return { kind: 'fail', cause: error.cause, revoke: true, facts }
}
