import type { Actor } from '../domain/audit.ts'
import { type ConnectSession, connectEnded, openSession } from '../domain/connect-session.ts'
import { resourceName } from '../domain/connection.ts'
import type { Link } from '../domain/link.ts'
import type { Adapters, Settings } from './adapters.ts'
import { authorize } from './authorize.ts'
import { findClient } from './find-client.ts'

export type StartLink = { token: string; actor: Actor; browsers: string[] }

/** `browser` is the secret for this browser's cookie; none when the browser already has it. */
export type StartedLink = { url: string; linkId: string; browser: string | undefined }

type Needs = Pick<
  Adapters,
  'sessions' | 'tenants' | 'integrations' | 'links' | 'provider' | 'pending' | 'seal' | 'tokens' | 'now'
>

export const startLink =
  (needs: Needs, settings: Pick<Settings, 'authorizationSeconds'>) =>
  async ({ token, actor, browsers }: StartLink): Promise<StartedLink> => {
    const session = openSession(await needs.sessions.byToken(needs.tokens.digest(token)), needs.now())
    const ready = await findClient(needs, session.tenant, session.integration)
    const again = session.linkId ? await sameBrowser(needs, session.linkId, browsers) : undefined
    if (again)
      return {
        url: await authorize(needs, settings)(again, ready, again.forcedConsent),
        linkId: again.id,
        browser: undefined,
      }
    const browser = needs.tokens.fresh()
    const link = await newLink(needs, session, needs.tokens.digest(browser))
    const url = await authorize(needs, settings)(link, ready, false)
    // Written last: until here nothing but a record that expires by itself was left anywhere.
    const opened = await needs.links.open(
      { ...link, expiresInSeconds: settings.authorizationSeconds },
      { action: 'link.started', actor, tenant: link.tenant, link: link.id, connection: link.connectionId },
    )
    if (!opened) throw connectEnded()
    return { url, linkId: link.id, browser }
  }

/** Back from the provider's page and once more: the same browser may go again, any other may not. */
async function sameBrowser({ links }: Needs, linkId: string, browsers: string[]): Promise<Link> {
  const link = await links.find(linkId)
  if (link?.state !== 'authorizing' || !browsers.includes(link.browser)) throw connectEnded()
  return link
}

async function newLink({ tenants, tokens }: Needs, session: ConnectSession, browser: string) {
  const tenant = await tenants.find(session.tenant)
  if (!tenant) throw connectEnded()
  const connectionId = tokens.id('con')
  const name = resourceName(session.integration, tokens.nameDigest(connectionId))
  const { id: sessionId, integration, endUser, returnUrl, completionChallenge } = session
  return {
    id: tokens.id('lnk'),
    sessionId,
    tenant: tenant.id,
    workspace: tenant.workspace,
    integration,
    endUser,
    returnUrl,
    completionChallenge,
    browser,
    connectionId,
    connectionName: name,
    functionName: name,
  }
}
