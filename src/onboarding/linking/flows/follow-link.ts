import type { Actor } from '../../domain/audit/audit.ts'
import { connectEnded } from '../../domain/connect-session.ts'
import type { Integration } from '../../domain/integration.ts'
import { type Link, needsConsentAgain, type UpstreamAccount } from '../../domain/link.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { PendingAuthorizations } from '../../domain/ports/linking.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Integrations, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
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
}

type Needs = {
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
  ({ links, tenants, integrations, connections }: Pick<Needs, 'links' | 'tenants' | 'integrations' | 'connections'>) =>
  async ({ linkId, browsers }: { linkId: string; browsers: string[] }): Promise<FollowedLink> => {
    const link = await links.find(linkId)
    if (!link || !browsers.includes(link.browser)) throw connectEnded()
    const tenant = await tenants.find(link.tenant)
    const integration = integrations.find(link.integration)
    if (!tenant) throw connectEnded()
    const account = link.relink ? (await connections.find(link.connectionId))?.account : undefined
    return { link, tenant, integration, account }
  }

/** Returns the URL at which the provider asks for consent again. */
export const consentAgain =
  (needs: Needs, settings: Pick<Settings, 'authorizationSeconds'>) =>
  async ({ actor, ...input }: { linkId: string; browsers: string[]; actor: Actor }): Promise<string> => {
    const { link } = await followLink(needs)(input)
    if (!needsConsentAgain(link)) throw connectEnded()
    const ready = await findClient(needs, link.tenant, link.integration).catch(undefinedIfMissing)
    if (ready) return authorize(needs, settings)(link, ready, true)
    await endLink(needs)(link, { to: 'failed', actor, facts: { cause: 'integration_removed' } })
    return `/links/${link.id}`
  }
