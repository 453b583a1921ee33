import { connectEnded } from '../domain/connect-session.ts'
import type { Integration } from '../domain/integration.ts'
import { type Link, needsConsentAgain } from '../domain/link.ts'
import type { Tenant } from '../domain/tenant.ts'
import type { Adapters, Settings } from './adapters.ts'
import { authorize } from './authorize.ts'
import { findClient } from './find-client.ts'

export type FollowedLink = { link: Link; tenant: Tenant; integration: Integration }

type Needs = Pick<Adapters, 'links' | 'tenants' | 'integrations' | 'provider' | 'pending' | 'seal' | 'tokens'>

/** How a link is getting on, for the browser that started it and for nobody else. */
export const followLink =
  ({ links, tenants, integrations }: Pick<Needs, 'links' | 'tenants' | 'integrations'>) =>
  async ({ linkId, browsers }: { linkId: string; browsers: string[] }): Promise<FollowedLink> => {
    const link = await links.find(linkId)
    if (!link || !browsers.includes(link.browser)) throw connectEnded()
    const tenant = await tenants.find(link.tenant)
    const integration = integrations.find(link.integration)
    if (!tenant || !integration) throw connectEnded()
    return { link, tenant, integration }
  }

/** Where the browser goes to be asked for consent once more. */
export const consentAgain =
  (needs: Needs, settings: Pick<Settings, 'authorizationSeconds'>) =>
  async (input: { linkId: string; browsers: string[] }): Promise<string> => {
    const { link } = await followLink(needs)(input)
    if (!needsConsentAgain(link)) throw connectEnded()
    return authorize(needs, settings)(link, await findClient(needs, link.tenant, link.integration), true)
  }
