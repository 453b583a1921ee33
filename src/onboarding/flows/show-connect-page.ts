import { type ConnectSession, connectEnded, openSession } from '../domain/connect-session.ts'
import type { Integration } from '../domain/integration.ts'
import type { Tenant } from '../domain/tenant.ts'
import type { Adapters } from './adapters.ts'

export type ConnectOffer = { session: ConnectSession; tenant: Tenant; integration: Integration }

type Needs = Pick<Adapters, 'sessions' | 'tenants' | 'integrations' | 'links' | 'tokens' | 'now'>

/** What a visitor is asked to agree to. Looking changes nothing: mail scanners open links, too. */
export const showConnectPage =
  (needs: Needs) =>
  async ({ token, browsers }: { token: string; browsers: string[] }): Promise<ConnectOffer> => {
    const session = openSession(await needs.sessions.byToken(needs.tokens.digest(token)), needs.now())
    if (session.linkId) await refuseOthers(needs, session.linkId, browsers)
    const tenant = await needs.tenants.find(session.tenant)
    const integration = needs.integrations.find(session.integration)
    if (!tenant || !integration) throw connectEnded()
    return { session, tenant, integration }
  }

/** Only the browser that started may see it again, and only until it came back. */
async function refuseOthers({ links }: Needs, linkId: string, browsers: string[]): Promise<void> {
  const link = await links.find(linkId)
  if (link?.state !== 'authorizing' || !browsers.includes(link.browser)) throw connectEnded()
}
