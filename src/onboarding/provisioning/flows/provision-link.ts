import type { FactsOf } from '../../domain/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import type { Connected } from '../../domain/connection.ts'
import { DependencyError, errorFacts, isPastPatience } from '../../domain/dependency-error.ts'
import { missingScopes, unaskedScopes } from '../../domain/integration.ts'
import { isProvisioning, type Link, type ProvisioningState, retryDelaySeconds } from '../../domain/link.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import type { LinkChanges } from '../../domain/ports/provisioning.ts'
import { successEvent } from '../../domain/tenant-event.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'
import {
  advance,
  type Context,
  type Fresh,
  giveBack,
  LostLink,
  type ProvisionNeeds,
  type ProvisionSettings,
  rereadGrant,
  type Steps,
  withoutRefreshToken,
} from './advance-link.ts'
import { relinkSteps, setRelinkBack } from './relink-steps.ts'
import { givingBack } from './revoke-and-fail.ts'

export type { ProvisionNeeds, ProvisionSettings } from './advance-link.ts'

/**
 * Carries a link from escrow to a working function, one step at a time. Each step can be repeated: names are
 * fixed beforehand, and what an earlier try made is recognised as ours.
 */
export const provisionLink =
  (needs: ProvisionNeeds, settings: ProvisionSettings) =>
  async (link: Link, ready: ReadyIntegration, fresh: Fresh = {}): Promise<Link> => {
    const context = { needs, settings, ready, fresh }
    const settled = fresh.trouble ? setBack(context, link, fresh.trouble) : carryOn(context, link)
    return settled.catch(async (lost) => {
      if (!(lost instanceof LostLink)) throw lost
      return (await needs.links.find(link.id)) ?? link
    })
  }

async function carryOn(context: Context, link: Link): Promise<Link> {
  const steps = link.relink ? relinkSteps : firstSteps
  let at = link
  try {
    while (isProvisioning(at.state)) at = await steps[at.state](context, at)
    return at
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    return setBack(context, at, error)
  }
}

const onlyRelinks = async (): Promise<never> => {
  throw new Error('only a re-link comes here')
}

const firstSteps: Steps = {
  async escrowed(context, link) {
    const { needs, ready, fresh } = context
    const grant = fresh.grant ?? (await rereadGrant(context, link))
    const missing = missingScopes(ready.integration, grant.scopes)
    if (!grant.refreshToken) return withoutRefreshToken(context, link)
    if (missing.length > 0) return giveBack(context, link, { cause: 'scope_missing' }, { missingScopes: missing })
    await needs.platform.createConnection(link, { client: ready.client, refreshToken: grant.refreshToken })
    return connectionMade(context, link, granted(ready, grant))
  },

  async connection_ready(context, link) {
    const { url } = await (context.fresh.creating ?? context.needs.platform.createFunction(link))
    return functionMade(context, link, { functionUrl: url }, {})
  },

  async function_ready(context, link) {
    const { platform } = context.needs
    const functionUrl = link.functionUrl ?? (await platform.createFunction(link)).url
    await platform.verifyFunction({ ...link, functionUrl })
    return finish(context, link, { functionUrl }, { verified: true })
  },

  testing: onlyRelinks,
  tested: onlyRelinks,
  verified: onlyRelinks,
  rolling_back: onlyRelinks,
  revoking: givingBack,
}

const granted = ({ integration }: ReadyIntegration, { scopes, account }: Grant): LinkChanges => ({
  grantedScopes: scopes ?? integration.scopes.map(({ name }) => name),
  ...(account && { account }),
})

/** Who looks at a link that waits longer than this should see what it waits for. */
const promptMs = 300

/**
 * A function that comes at once is written together with the connection. In between no promise needs a commit: the
 * names are known, so whoever takes the link up finds the connection. One that is late or refused does need it: the
 * connection is not to be asked for again each time. The entry says how long the function took, so that the record
 * still tells one from the other.
 */
async function connectionMade(context: Context, link: Link, changes: LinkChanges): Promise<Link> {
  const { platform, pause } = context.needs
  const unaskedScopes = widerThanAsked(context.ready, changes.grantedScopes)
  const askedAt = performance.now()
  const creating = platform.createFunction(link)
  context.fresh.creating = creating
  const made = await Promise.race([creating, pause(promptMs)]).catch(() => undefined)
  if (!made) return advance(context, link, 'connection_ready', changes, { unaskedScopes })
  const functionMs = Math.round(performance.now() - askedAt)
  return functionMade(context, link, { ...changes, functionUrl: made.url }, { unaskedScopes, functionMs })
}

function functionMade(
  context: Context,
  link: Link,
  changes: LinkChanges,
  facts: FactsOf<'link.function_ready'>,
): Promise<Link> {
  if (!context.settings.verifyFunctions) return finish(context, link, changes, facts)
  return advance(context, link, 'function_ready', changes, facts)
}

function finish(context: Context, link: Link, changes: LinkChanges, facts: FactsOf<'link.linked'>): Promise<Link> {
  const { needs, ready, settings } = context
  const event = { id: needs.tokens.id('evt'), ...successEvent(link) }
  const ended = { ...changes, escrow: null, connected: connectedBy(ready, settings), event }
  return advance(context, link, 'linked', ended, facts)
}

/** A provider may name as many scopes as it likes; the audit keeps the first of them. */
const mostUnasked = 20

function widerThanAsked({ integration }: ReadyIntegration, granted: readonly string[] = []): string[] | undefined {
  const unasked = unaskedScopes(integration, granted).slice(0, mostUnasked)
  return unasked.length > 0 ? unasked.map((scope) => scope.slice(0, 100)) : undefined
}

const connectedBy = ({ integration, client }: ReadyIntegration, settings: ProvisionSettings): Connected => ({
  checkInSeconds: integration.health.everySeconds ?? settings.healthSeconds,
  clientId: client.id,
  keepGrant: settings.keepGrants,
  rotates: integration.rotatesRefreshTokens,
  previousSeconds: undefined,
})

async function setBack(context: Context, link: Link, trouble: DependencyError): Promise<Link> {
  if (link.relink) {
    const settled = await setRelinkBack(context, link, trouble)
    // Trouble on the way back is trouble like any other.
    if (settled) return settled.state === 'rolling_back' ? carryOn(context, settled) : settled
  }
  if (trouble.retry && !isPastPatience(link, trouble)) {
    const delay = retryDelaySeconds(link.attempts, trouble.retry.afterSeconds, context.needs.chance())
    return (await context.needs.links.postpone(link, delay, trouble.cause)) ?? link
  }
  if (platformCauses.has(trouble.cause)) {
    const changes = { cause: trouble.cause, resumeFrom: link.state as ProvisioningState }
    return advance(context, link, 'needs_attention', changes, errorFacts(trouble))
  }
  return giveBack(context, link, errorFacts(trouble))
}

/** Trouble on the platform's side: the grant is good and stays in escrow until somebody has looked. */
const platformCauses = new Set<Cause>(['platform_refused', 'name_taken', 'function_failed'])
