import { connectEnded, startRefusal } from '../../domain/connect-session.ts'
import type { Link } from '../../domain/link.ts'
import { isAllowedReturn } from '../../domain/linking/return-url.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { findLinkable, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { newLink } from './new-link.ts'
import { activeTenant } from './page-owner.ts'
import { signedReturn } from './return-browser.ts'
import { isRestart, openLink, removedFailure, type StartLink, startableSession, usedFailure } from './start-link.ts'

/** If there is no link, opens and ends one, so that a cancellation appears in the API and the audit log. */
export async function cancelLink(
  ports: Ports,
  settings: Settings,
  { token, app, actor, browsers }: StartLink,
): Promise<{ link: Link; browser: string | undefined; tenant: Tenant | undefined }> {
  const end = (link: Link) => endLink(ports, link, { to: 'cancelled', actor, facts: { cause: 'user_cancelled' } })
  const { session, again } = await startableSession(ports, { token, app }, { actor, browsers })
  const tenant = await activeTenant(ports, session.tenant)
  if (again && !isRestart(session, again)) return { link: await end(again), browser: undefined, tenant }
  const linkable = await findLinkable(ports, session).catch(undefinedIfMissing)
  if (!linkable) throw await removedFailure(ports, session, actor)
  if (again) await ports.sessions.archiveFailedLink(session, ports.tokens.id('ses'))
  const browser = ports.tokens.fresh()
  const link = await newLink(ports, settings, session, ports.tokens.digest(browser))
  if (!(await openLink(ports, settings, { link, linkable, actor }))) throw await usedFailure(ports, session, actor)
  return { link: await end(link), browser, tenant }
}

export async function leaveChoice(ports: Ports, { token, browsers }: Pick<StartLink, 'token' | 'browsers'>) {
  const session = await ports.sessions.byToken(ports.tokens.digest(token))
  const link = session?.linkId ? await ports.links.find(session.linkId) : undefined
  if (!session || startRefusal(session, link, browsers)) throw connectEnded()
  const { id, tenant, returnUrl, choices, endUser } = session
  if (!choices || returnUrl === undefined) return undefined
  const owner = await ports.tenants.find(tenant)
  if (!isAllowedReturn(returnUrl, owner?.returnUrls ?? [])) throw connectEnded()
  const outcome = { connect_session_id: id, status: 'cancelled', cause_code: 'user_cancelled' }
  const url = await signedReturn(ports, { tenant, returnUrl }, outcome)
  return { url, locale: endUser.locale, tenant: owner }
}
