import type { Actor } from '../domain/audit.ts'
import { connectEnded } from '../domain/connect-session.ts'
import type { Integration } from '../domain/integration.ts'
import { type Link, needsConsentAgain, type UpstreamAccount } from '../domain/link.ts'
import type { Tenant } from '../domain/tenant.ts'
import type { Adapters, Settings } from './adapters.ts'
import { authorize } from './authorize.ts'
import { endLink } from './end-link.ts'
import { findClient, unlessMissing } from './find-client.ts'

export type FollowedLink = {
  link: Link
  tenant: Tenant
  /** None when it was taken away meanwhile: how the link ended can still be told. */
  integration: Integration | undefined
  /** The account that a re-link wants. */
  account: UpstreamAccount | undefined
}

type Needs = Pick<
  Adapters,
  'links' | 'tenants' | 'integrations' | 'connections' | 'provider' | 'pending' | 'seal' | 'tokens'
>

/** How a link is getting on, for the browser that started it and for nobody else. */
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

/** Where the browser goes to be asked for consent once more. */
export const consentAgain =
  (needs: Needs, settings: Pick<Settings, 'authorizationSeconds'>) =>
  async ({ actor, ...input }: { linkId: string; browsers: string[]; actor: Actor }): Promise<string> => {
    const { link } = await followLink(needs)(input)
    if (!needsConsentAgain(link)) throw connectEnded()
    const ready = await findClient(needs, link.tenant, link.integration).catch(unlessMissing)
    if (ready) return authorize(needs, settings)(link, ready, true)
    await endLink(needs)(link, 'failed', 'integration_removed', actor)
    return `/links/${link.id}`
  }
