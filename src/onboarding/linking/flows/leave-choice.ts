import type { Actor } from '../../domain/audit/audit.ts'
import { connectEnded, startRefusal } from '../../domain/connect-session.ts'
import { isAllowedReturn } from '../../domain/linking/return-url.ts'
import type { ConnectSessions } from '../../domain/ports/linking.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Clock, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Tenant } from '../../domain/tenant.ts'
import { signedReturn } from './return-browser.ts'

type Needs = { sessions: ConnectSessions; links: Links; tenants: Tenants; tokens: Tokens; now: Clock }

export type LeftChoice = { url: string; locale: string | undefined; tenant: Tenant | undefined }

export type LeaveChoice = { token: string; browsers: string[]; actor: Actor }

/**
 * What Cancel does where the user picks an app. No link could say which one it was for, so none is opened: the browser
 * goes back, and the session stays as it is for whoever pressed it by mistake. Undefined if there is nothing to pick.
 */
export const leaveChoice =
  (needs: Needs) =>
  async ({ token, browsers }: LeaveChoice): Promise<LeftChoice | undefined> => {
    const session = await needs.sessions.byToken(needs.tokens.digest(token))
    const link = session?.linkId ? await needs.links.find(session.linkId) : undefined
    if (!session || startRefusal(session, link, browsers)) throw connectEnded()
    const { id, tenant, returnUrl, choices, endUser } = session
    if (!choices || returnUrl === undefined) return undefined
    const owner = await needs.tenants.find(tenant)
    if (!isAllowedReturn(returnUrl, owner?.returnUrls ?? [])) throw connectEnded()
    const outcome = { connect_session_id: id, status: 'cancelled', cause_code: 'user_cancelled' }
    const url = await signedReturn(needs, { tenant, returnUrl }, outcome)
    return { url, locale: endUser.locale, tenant: owner }
  }
