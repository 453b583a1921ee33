import type { Link } from '../../domain/link.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { findLinkable, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { newLink } from './new-link.ts'
import { activeTenant } from './page-owner.ts'
import { isRestart, openLink, removedFailure, type StartLink, type StartNeeds, startableSession } from './start-link.ts'

/** `browser` is the secret for the browser's cookie. Undefined if the browser already has it. */
export type CancelledLink = { link: Link; browser: string | undefined; tenant: Tenant | undefined }

/**
 * What Cancel on the connect page does. A user who has not left yet has no link: one is opened and ended, so that the
 * tenant, support and the audit read it as they read every other end.
 */
export const cancelLink =
  (needs: StartNeeds, settings: Pick<Settings, 'authorizationSeconds' | 'connectionPut'>) =>
  async ({ token, app, actor, browsers }: StartLink): Promise<CancelledLink> => {
    const end = (link: Link) => endLink(needs)(link, { to: 'cancelled', actor, facts: { cause: 'user_cancelled' } })
    const { session, again } = await startableSession(needs, { token, app }, { actor, browsers })
    const tenant = await activeTenant(needs, session.tenant)
    if (again && !isRestart(session, again)) return { link: await end(again), browser: undefined, tenant }
    const linkable = await findLinkable(needs, session).catch(undefinedIfMissing)
    if (!linkable) throw await removedFailure(needs, session, actor)
    if (again) await needs.sessions.archiveFailedLink(session, needs.tokens.id('ses'))
    const browser = needs.tokens.fresh()
    const link = await newLink(needs, settings, session, needs.tokens.digest(browser))
    await openLink(needs, settings, { session, link, linkable, actor })
    return { link: await end(link), browser, tenant }
  }
