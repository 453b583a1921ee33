import type { Actor } from '../../domain/audit/audit.ts'
import { connectEnded, mayTryAgain, startRefusal } from '../../domain/connect-session.ts'
import type { Integration } from '../../domain/integration.ts'
import { type Link, needsConsentAgain, type UpstreamAccount } from '../../domain/link.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { ConnectSessions, PendingAuthorizations } from '../../domain/ports/linking.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Integrations, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { isTestTenant, withOutcomeChosen } from '../../domain/test-mode/test-mode.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { authorize } from './authorize.ts'

export type FollowedLink = {
  link: Link
  tenant: Tenant
  /** Undefined if it was removed meanwhile: the outcome of the link can still be shown. */
  integration: Integration | undefined
  /** The account that a re-link requires. */
  account: UpstreamAccount | undefined
  /** Whether the user may try again from here. */
  mayTryAgain: boolean
}

type Needs = {
  sessions: ConnectSessions
  links: Links
  tenants: Tenants
  integrations: Integrations
  connections: Connections
  provider: Provider
  pending: PendingAuthorizations
  seal: Seal
  tokens: Tokens
}

/** The progress of a link, for the browser that started it only. */
export const followLink =
  (needs: Pick<Needs, 'sessions' | 'links' | 'tenants' | 'integrations' | 'connections'>) =>
  async ({ linkId, browsers }: { linkId: string; browsers: string[] }): Promise<FollowedLink> => {
    const link = await needs.links.find(linkId)
    if (browsers.length === 0) throw connectEnded({ variant: 'cookie_missing' })
    if (!link || !browsers.includes(link.browser)) throw connectEnded()
    const tenant = await needs.tenants.find(link.tenant)
    const integration = needs.integrations.of(link)
    if (!tenant) throw connectEnded()
    const account = link.relink ? (await needs.connections.find(link.connectionId))?.account : undefined
    const session = mayTryAgain(link) && integration ? await needs.sessions.find(link.sessionId) : undefined
    const isOpen = session !== undefined && startRefusal(session, link, browsers) === undefined
    return { link, tenant, integration, account, mayTryAgain: isOpen }
  }

/** What the tenant chose for the first consent, it gets at the second one, too. */
const outcomeOf = async ({ sessions }: Pick<Needs, 'sessions'>, { tenant, sessionId }: Link) =>
  isTestTenant(tenant) ? (await sessions.find(sessionId))?.testOutcome : undefined

/** Returns the URL at which the provider asks for consent again. */
export const consentAgain =
  (needs: Needs, settings: Pick<Settings, 'authorizationSeconds'>) =>
  async ({ actor, ...input }: { linkId: string; browsers: string[]; actor: Actor }): Promise<string> => {
    const { link } = await followLink(needs)(input)
    if (!needsConsentAgain(link)) throw connectEnded()
    const ready = await findClient(needs, link).catch(undefinedIfMissing)
    if (ready)
      return withOutcomeChosen(await authorize(needs, settings)(link, ready, true), await outcomeOf(needs, link))
    await endLink(needs)(link, { to: 'failed', actor, facts: { cause: 'integration_removed' } })
    return `/links/${link.id}`
  }

/**
 * What Cancel does where consent is asked for again: whoever cannot sign in to the other account has no other way back.
 * Nothing of the first consent is left to end.
 */
export const cancelConsent =
  (needs: Parameters<typeof followLink>[0] & Pick<Needs, 'tokens'>) =>
  async ({ actor, ...input }: { linkId: string; browsers: string[]; actor: Actor }) => {
    const { link, tenant } = await followLink(needs)(input)
    if (!needsConsentAgain(link)) throw connectEnded()
    const ended = await endLink(needs)(link, { to: 'cancelled', actor, facts: { cause: 'user_cancelled' } })
    return { link: ended, tenant }
  }
