import type { Actor } from '../../domain/audit/audit.ts'
import { aboutLink } from '../../domain/audit/audit-entry.ts'
import type { ConnectSession } from '../../domain/connect-session.ts'
import { isManagePage } from '../../domain/end-users/manage-session.ts'
import { Failure } from '../../domain/failure.ts'
import { completionRound, type Link, statusOf } from '../../domain/link.ts'
import {
  isAllowedReturn,
  type Outcome,
  repairPageIn,
  signedText,
  withOutcome,
} from '../../domain/linking/return-url.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { activeTenant, type PageOwner } from './page-owner.ts'

export async function returnBrowser(
  { tenants, tokens, now, audit }: Pick<Ports, 'tenants' | 'tokens' | 'now' | 'audit'>,
  { publicUrl }: Settings,
  link: Link,
  actor: Actor,
): Promise<string> {
  if (link.returnUrl === undefined) return `/links/${link.id}`
  if (isManagePage(link.returnUrl, publicUrl)) return withResult(link.returnUrl, link)
  const page = repairPageIn(link.returnUrl, publicUrl)
  if (page !== undefined) return link.state === 'code_waiting' ? toRepairPage(page, link, tokens) : `/links/${link.id}`
  const tenant = await tenants.find(link.tenant)
  // The list may have changed since the session was created.
  if (!tenant || !isAllowedReturn(link.returnUrl, tenant.returnUrls)) {
    const about = { ...aboutLink(link), subject: { kind: 'tenant' as const, id: link.tenant } }
    const facts = { refusal: 'no_longer_registered' as const }
    await audit.note({ action: 'return_url.rejected', actor, ...about, facts })
    throw new Failure('connect_ended', 'The app you came from no longer accepts this return address.')
  }
  return signedReturn({ tenants, tokens, now }, { ...link, returnUrl: link.returnUrl }, outcomeOf(link, tokens))
}

export const staysHere = (url: string): boolean => url.startsWith('/')

export type EndedSession = PageOwner & { why: 'connected' | 'elsewhere' | 'used' | 'cancelled' | 'expired' }

/** The return URL has no completion code: the browser may not be the one that started. */
export async function endedSession(
  ports: Pick<Ports, 'sessions' | 'links' | 'integrations' | 'tenants' | 'tokens' | 'now'>,
  token: string,
): Promise<EndedSession | undefined> {
  const session = await ports.sessions.byToken(ports.tokens.digest(token))
  const tenant = session && (await activeTenant(ports, session.tenant))
  if (!tenant) return undefined
  const link = session.linkId === undefined ? undefined : await ports.links.find(session.linkId)
  const integration = ports.integrations.of({ tenant: tenant.id, integration: (link ?? session).integration ?? '' })
  const returnUrl = await returnFromEnded(ports, session, tenant)
  return { tenant, integration, why: whyEnded(session, link), returnUrl }
}

function whyEnded(session: ConnectSession, link: Link | undefined): EndedSession['why'] {
  if (session.cancelledAt) return 'cancelled'
  if (!link) return 'expired'
  const status = statusOf(link.state)
  if (status === 'linked') return 'connected'
  return status === 'pending' ? 'elsewhere' : 'used'
}

async function returnFromEnded(
  ports: Pick<Ports, 'tenants' | 'tokens' | 'now'>,
  { id, linkId, returnUrl }: ConnectSession,
  tenant: Tenant,
): Promise<string | undefined> {
  if (returnUrl === undefined || !isAllowedReturn(returnUrl, tenant.returnUrls)) return undefined
  const outcome = { connect_session_id: id, ...(linkId !== undefined && { link_id: linkId }), status: 'expired' }
  return signedReturn(ports, { tenant: tenant.id, returnUrl }, outcome)
}

export async function signedReturn(
  { tenants, tokens, now }: Pick<Ports, 'tenants' | 'tokens' | 'now'>,
  { tenant, returnUrl }: { tenant: string; returnUrl: string },
  outcome: Outcome,
): Promise<string> {
  const timestamp = Math.floor(now().getTime() / 1_000)
  const signature = tokens.sign(signedText(outcome, timestamp), await tenants.signingSecret(tenant))
  return withOutcome(returnUrl, outcome, timestamp, signature)
}

/** The manage page reads the ledger, so the result needs no signature. */
const withResult = (returnUrl: string, { state, cause }: Link): string =>
  `${returnUrl}?${new URLSearchParams({ result: cause ?? statusOf(state) })}`

/** The page returns both with a ticket, if the person in this browser is the one whose call needs the account. */
function toRepairPage(page: string, link: Link, tokens: Ports['tokens']): string {
  const address = new URL(page)
  address.searchParams.set('connect_session_id', link.sessionId)
  address.searchParams.set('completion_code', tokens.completionCode(completionRound(link)))
  return address.href
}

function outcomeOf(link: Link, tokens: Ports['tokens']): Outcome {
  const ids = { connect_session_id: link.sessionId, link_id: link.id }
  if (link.state === 'code_waiting') {
    return { ...ids, status: 'authorized', completion_code: tokens.completionCode(completionRound(link)) }
  }
  return {
    ...ids,
    status: statusOf(link.state),
    ...(link.cause && statusOf(link.state) !== 'pending' && { cause_code: link.cause }),
  }
}
