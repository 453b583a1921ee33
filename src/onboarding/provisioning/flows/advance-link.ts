// What every step of a link needs: moving it on, opening what it holds, and giving back what cannot be used.

import type { Secret } from '../../../kit/crypto/secret.ts'
import { type Actor, type Snapshot, worker } from '../../domain/audit.ts'
import { type FactsOf, linkEntry } from '../../domain/audit-entry.ts'
import type { DependencyError } from '../../domain/dependency-error.ts'
import {
  type Link,
  type LinkState,
  type ProvisioningState,
  retryDelaySeconds,
  type UpstreamAccount,
} from '../../domain/link.ts'
import type { Connections, StoredGrants } from '../../domain/ports/connections.ts'
import type { Platform } from '../../domain/ports/platform.ts'
import type { Grant, Provider, Revoked } from '../../domain/ports/provider.ts'
import type { LinkChanges, LinkSecrets, Links } from '../../domain/ports/provisioning.ts'
import type { Chance, Integrations, Pause, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { place } from '../../domain/sealed-place.ts'
import type { Settings } from '../../domain/settings.ts'
import { mayRevoke, revocationTries } from '../../domain/stored-grant.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'
import { endLink } from './end-link.ts'

export type ProvisionNeeds = {
  links: Links
  secrets: LinkSecrets
  tenants: Tenants
  integrations: Integrations
  provider: Provider
  platform: Platform
  connections: Connections
  storedGrants: StoredGrants
  seal: Seal
  tokens: Tokens
  chance: Chance
  pause: Pause
}

export type ProvisionSettings = Pick<Settings, 'verifyFunctions' | 'keepGrants' | 'connectionPut' | 'healthSeconds'>

/** What the exchange left in memory; a worker that resumes has nothing of it and reads the escrow again. */
export type Fresh = {
  grant?: Grant
  trouble?: DependencyError
  /** The function is being made: asked for once, whoever waits for it. */
  creating?: Promise<{ url: string }>
  /** Nobody has tried the new grant yet: it is this very run that will. */
  untried?: boolean
  /** Somebody waits for it with this request, and may ask support what became of it. */
  requestId?: string | undefined
}

export type Context = { needs: ProvisionNeeds; settings: ProvisionSettings; ready: ReadyIntegration; fresh: Fresh }

/** A worker, also when it works while somebody waits. */
export const actorIn = ({ fresh: { requestId } }: Pick<Context, 'fresh'>): Actor => ({ ...worker, requestId })

export type Steps = Record<ProvisioningState, (context: Context, link: Link) => Promise<Link>>

/** Another worker holds the link now, or it waits; whatever the ledger says of it is right. */
export class LostLink extends Error {}

export async function advance<State extends LinkState>(
  context: Pick<Context, 'needs' | 'fresh'>,
  link: Link,
  to: State,
  changes: LinkChanges,
  facts: FactsOf<`link.${State}`>,
  change: { before?: Snapshot; after?: Snapshot } = {},
): Promise<Link> {
  const audit = linkEntry(link, to, actorIn(context), facts, change)
  const moved = await context.needs.links.move(link, to, changes, audit)
  if (!moved) throw new LostLink()
  return moved
}

export async function openEscrow(
  { secrets, seal }: Pick<ProvisionNeeds, 'secrets' | 'seal'>,
  link: Link,
): Promise<Secret> {
  const sealed = await secrets.escrow(link.id)
  if (!sealed) throw new LostLink()
  return seal.open(sealed, place.escrow(link))
}

export async function openTrialRefresh({ secrets, seal }: Pick<ProvisionNeeds, 'secrets' | 'seal'>, link: Link) {
  const sealed = await secrets.trialRefresh(link.id)
  return sealed === undefined ? undefined : seal.open(sealed, place.trialRefresh(link))
}

export const rereadGrant = async ({ needs, ready }: Context, link: Link): Promise<Grant> =>
  needs.provider.reread(ready, await openEscrow(needs, link))

/** Providers that know the user already may grant without a refresh token; asking for consent again brings one. */
export async function withoutRefreshToken(context: Context, link: Link): Promise<Link> {
  const canForce = Object.keys(context.ready.integration.forceConsentParameters).length > 0
  if (link.forcedConsent || !canForce) return giveBack(context, link, { cause: 'no_refresh_token' })
  const changes = { forcedConsent: true, escrow: null, dueInSeconds: consentAgainSeconds }
  return advance(context, link, 'authorizing', changes, { cause: 'no_refresh_token' })
}

export const consentAgainSeconds = 15 * 60

/** What cannot be used is revoked; where that is impossible it stays sealed, and support sees it. */
export async function giveBack(context: Context, link: Link, why: Why, changes: LinkChanges = {}): Promise<Link> {
  const grant = await revokeUnwanted(context, link, changes.account ?? link.account)
  // What belongs to a consent that is in use ends with it. A re-link has a good grant to go on with where nothing can
  // be revoked, but what could be is not forgotten while it is alive.
  if (grant === 'refused' || (grant === 'not_offered' && !link.relink)) {
    return holdUnwanted(context, link, { ...why, grant }, changes)
  }
  return endLink(context.needs)(link, 'failed', actorIn(context), { ...why, grant }, changes)
}

/** Why a grant is not wanted. */
type Why = Omit<FactsOf<'link.failed'>, 'grant'>

/** A provider that is away for a moment is asked again. After that somebody has to look, and the grant stays sealed. */
export async function holdUnwanted(
  context: Context,
  link: Link,
  facts: FactsOf<'link.needs_attention'>,
  changes: LinkChanges = {},
): Promise<Link> {
  const { needs } = context
  if (link.relink && link.attempts < revocationTries) {
    const delay = retryDelaySeconds(link.attempts, undefined, needs.chance())
    await needs.links.postpone(link, delay, 'provider_unavailable')
    throw new LostLink()
  }
  // A re-link does the same step again and ends the same way; a first link may have found a better end by then.
  const resumeFrom = link.relink ? (link.state as ProvisioningState) : 'escrowed'
  return advance(context, link, 'needs_attention', { ...changes, cause: facts.cause, resumeFrom }, facts)
}

export type Unwanted = Revoked | 'shared'

/** Gives a grant back, unless that would also end one that is in use. */
export async function revokeUnwanted(
  { needs, ready }: Context,
  link: Link,
  account: UpstreamAccount | undefined,
): Promise<Unwanted> {
  const { revocationReach } = ready.integration
  const shared = revocationReach === 'grant' && (await sharesConsent(needs, ready, link, account))
  if (!mayRevoke(revocationReach, shared)) return 'shared'
  return needs.provider.revoke(ready, await openEscrow(needs, link), await openTrialRefresh(needs, link))
}

/** Without an account nobody can tell; the connection that a re-link mends has the benefit of the doubt. */
const sharesConsent = async (
  { storedGrants }: ProvisionNeeds,
  { client }: ReadyIntegration,
  { relink, integration }: Link,
  account: UpstreamAccount | undefined,
): Promise<boolean> =>
  account ? storedGrants.sharesConsent({ integration, accountId: account.id, clientId: client.id }) : relink
