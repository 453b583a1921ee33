import type { Actor } from '../../domain/audit/audit.ts'
import { connectEnded, mayTryAgain, startRefusal } from '../../domain/connect-session.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Integration } from '../../domain/integration.ts'
import { type Link, needsConsentAgain, type UpstreamAccount } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { isTestTenant, withOutcomeChosen } from '../../domain/test-mode/test-mode.ts'
import { endLink } from '../../provisioning/flows/end-link.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { authorize } from './authorize.ts'

export type FollowedLink = {
  link: Link
  tenant: Tenant
  integration: Integration | undefined
  account: UpstreamAccount | undefined
  isFirst: boolean
  mayTryAgain: boolean
}

export async function followLink(
  ports: Ports,
  { linkId, browsers }: { linkId: string; browsers: string[] },
): Promise<FollowedLink> {
  const link = await ports.links.find(linkId)
  if (browsers.length === 0) throw connectEnded({ variant: 'cookie_missing' })
  if (!link || !browsers.includes(link.browser)) throw connectEnded()
  const tenant = await ports.tenants.find(link.tenant)
  const integration = ports.integrations.of(link)
  if (!tenant) throw connectEnded()
  const connection = link.kind === 'relink' ? await ports.connections.find(link.connectionId) : undefined
  const session = mayTryAgain(link) && integration ? await ports.sessions.find(link.sessionId) : undefined
  const isOpen = session !== undefined && startRefusal(session, link, browsers) === undefined
  const isFirst = !connection || isFirstGrant(connection, link)
  return { link, tenant, integration, account: connection?.account, isFirst, mayTryAgain: isOpen }
}

/** True for a function that was created before its account was linked. */
const isFirstGrant = ({ status, grantVersion }: Connection, { state }: Link): boolean =>
  status === 'not_linked' || (state === 'linked' && grantVersion === 0)

const outcomeOf = async ({ sessions }: Pick<Ports, 'sessions'>, { tenant, sessionId }: Link) =>
  isTestTenant(tenant) ? (await sessions.find(sessionId))?.testOutcome : undefined

export async function consentAgain(
  ports: Ports,
  settings: Settings,
  { actor, ...input }: { linkId: string; browsers: string[]; actor: Actor },
): Promise<string> {
  const { link } = await followLink(ports, input)
  if (!needsConsentAgain(link)) throw connectEnded()
  const ready = await findClient(ports, link).catch(undefinedIfMissing)
  if (ready) return withOutcomeChosen(await authorize(ports, settings, link, ready, true), await outcomeOf(ports, link))
  await endLink(ports, link, { to: 'failed', actor, facts: { cause: 'integration_removed' } })
  return `/links/${link.id}`
}

export async function cancelConsent(
  ports: Ports,
  { actor, ...input }: { linkId: string; browsers: string[]; actor: Actor },
) {
  const { link, tenant } = await followLink(ports, input)
  if (!needsConsentAgain(link)) throw connectEnded()
  const ended = await endLink(ports, link, { to: 'cancelled', actor, facts: { cause: 'user_cancelled' } })
  return { link: ended, tenant }
}
