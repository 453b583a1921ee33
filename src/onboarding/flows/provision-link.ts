import type { Secret } from '../../kit/secret.ts'
import { worker } from '../domain/audit.ts'
import type { Cause } from '../domain/cause.ts'
import { missingScopes } from '../domain/integration.ts'
import { isProvisioning, type Link, type ProvisioningState, retryDelaySeconds } from '../domain/link.ts'
import type { Grant, LinkChanges } from '../domain/ports.ts'
import { place } from '../domain/sealed-place.ts'
import { successEvent } from '../domain/tenant-event.ts'
import { Trouble } from '../domain/trouble.ts'
import type { Adapters, Settings } from './adapters.ts'
import { endLink } from './end-link.ts'
import type { ReadyIntegration } from './find-client.ts'

export type ProvisionNeeds = Pick<
  Adapters,
  'links' | 'held' | 'tenants' | 'integrations' | 'provider' | 'platform' | 'seal' | 'tokens' | 'chance' | 'pause'
>

/** What the exchange left in memory; a worker that resumes has neither and reads the escrow again. */
export type Fresh = { grant?: Grant; trouble?: Trouble }

/**
 * Carries a link from escrow to a working function, one step at a time. Each step can be repeated: names are
 * fixed beforehand, and what an earlier try made is recognised as ours.
 */
export const provisionLink =
  (needs: ProvisionNeeds, settings: Pick<Settings, 'verifyFunctions'>) =>
  async (link: Link, ready: ReadyIntegration, fresh: Fresh = {}): Promise<Link> => {
    let at = link
    try {
      if (fresh.trouble) throw fresh.trouble
      while (isProvisioning(at.state)) at = await steps[at.state]({ needs, settings, ready, fresh }, at)
      return at
    } catch (error) {
      const settled = error instanceof Trouble ? setBack(needs, ready, at, error) : Promise.reject(error)
      return settled.catch(async (lost) => {
        if (!(lost instanceof LostLink)) throw lost
        return (await needs.links.find(link.id)) ?? at
      })
    }
  }

type Context = {
  needs: ProvisionNeeds
  settings: Pick<Settings, 'verifyFunctions'>
  ready: ReadyIntegration
  fresh: Fresh
}

/** Another worker holds the link now; whatever it does is right. */
class LostLink extends Error {}

const steps: Record<ProvisioningState, (context: Context, link: Link) => Promise<Link>> = {
  async escrowed({ needs, ready, fresh }, link) {
    const grant = fresh.grant ?? (await rereadGrant(needs, ready, link))
    const missing = missingScopes(ready.integration, grant.scopes)
    if (!grant.refreshToken) return withoutRefreshToken(needs, ready, link)
    if (missing.length > 0) return giveBack(needs, ready, link, 'scope_missing', { missingScopes: missing })
    await needs.platform.createConnection(link, { client: ready.client, refreshToken: grant.refreshToken })
    const { scopes, account } = grant
    return advance(needs, link, 'connection_ready', {
      grantedScopes: scopes ?? ready.integration.scopes.map(({ name }) => name),
      ...(account && { account }),
    })
  },

  async connection_ready({ needs, settings }, link) {
    const { url } = await needs.platform.createFunction(link)
    if (settings.verifyFunctions) return advance(needs, link, 'function_ready', { functionUrl: url })
    return finish(needs, { ...link, functionUrl: url })
  },

  async function_ready({ needs }, link) {
    const functionUrl = link.functionUrl ?? (await needs.platform.createFunction(link)).url
    await needs.platform.verifyFunction({ ...link, functionUrl })
    return finish(needs, { ...link, functionUrl })
  },
}

const finish = (needs: ProvisionNeeds, link: Link) =>
  advance(needs, link, 'linked', {
    ...(link.functionUrl && { functionUrl: link.functionUrl }),
    escrow: null,
    connected: true,
    event: { id: needs.tokens.id('evt'), ...successEvent(link) },
  })

async function advance(
  needs: ProvisionNeeds,
  link: Link,
  to: Link['state'],
  changes: LinkChanges,
  reason: string | undefined = changes.cause,
): Promise<Link> {
  const { id, tenant, connectionId } = link
  const about = { tenant, link: id, connection: connectionId, reason }
  const audit = { action: `link.${to}`, actor: worker, ...about }
  const moved = await needs.links.move(link, to, changes, audit)
  if (!moved) throw new LostLink()
  return moved
}

async function rereadGrant(needs: ProvisionNeeds, ready: ReadyIntegration, link: Link): Promise<Grant> {
  return needs.provider.reread(ready, await openEscrow(needs, link))
}

async function openEscrow(needs: ProvisionNeeds, link: Link): Promise<Secret> {
  const sealed = await needs.held.escrow(link.id)
  if (!sealed) throw new LostLink()
  return needs.seal.open(sealed, place.escrow(link))
}

/** Providers that know the user already may grant without a refresh token; asking for consent again brings one. */
async function withoutRefreshToken(needs: ProvisionNeeds, ready: ReadyIntegration, link: Link): Promise<Link> {
  const canForce = Object.keys(ready.integration.forceConsentParameters).length > 0
  if (link.forcedConsent || !canForce) return giveBack(needs, ready, link, 'no_refresh_token')
  const changes = { forcedConsent: true, escrow: null, dueInSeconds: consentAgainSeconds }
  return advance(needs, link, 'authorizing', changes, 'no_refresh_token')
}

const consentAgainSeconds = 15 * 60

/** What cannot be used is revoked; where that is impossible it stays sealed, and support sees it. */
async function giveBack(
  needs: ProvisionNeeds,
  ready: ReadyIntegration,
  link: Link,
  cause: Cause,
  changes: LinkChanges = {},
  reason: string = cause,
): Promise<Link> {
  const revoked = await needs.provider.revoke(ready, await openEscrow(needs, link))
  if (revoked) return endLink(needs)(link, 'failed', cause, worker, reason, changes)
  return advance(needs, link, 'needs_attention', { ...changes, cause, stoppedAt: 'escrowed' }, reason)
}

async function setBack(needs: ProvisionNeeds, ready: ReadyIntegration, link: Link, trouble: Trouble): Promise<Link> {
  if (trouble.retry) {
    const delay = retryDelaySeconds(link.attempts, trouble.retry.afterSeconds, needs.chance())
    return (await needs.links.postpone(link, delay, trouble.why)) ?? link
  }
  if (platformCauses.has(trouble.why)) {
    const changes = { cause: trouble.why, stoppedAt: link.state as ProvisioningState }
    return advance(needs, link, 'needs_attention', changes, trouble.message)
  }
  return giveBack(needs, ready, link, trouble.why, {}, trouble.message)
}

/** Trouble on the platform's side: the grant is good and stays in escrow until somebody has looked. */
const platformCauses = new Set<Cause>(['platform_refused', 'name_taken', 'function_failed'])
