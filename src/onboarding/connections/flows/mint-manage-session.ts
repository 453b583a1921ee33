import type { Actor } from '../../domain/audit/audit.ts'
import { type ManageSession, openWithinSeconds, usualManageSeconds } from '../../domain/end-users/manage-session.ts'
import type { EndUser } from '../../domain/link.ts'
import type { ManageSessions } from '../../domain/ports/manage-sessions.ts'
import type { Audit, IdempotencyClaim, RateLimits, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Settings } from '../../domain/settings.ts'
import { assertActive, type Caller, ownThing } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { assertRegisteredReturn } from '../../linking/flows/mint-connect-session.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

export type MintManageSession = {
  caller: Caller
  actor: Actor
  tenant: string
  endUser: EndUser
  returnUrl: string | undefined
  ttlSeconds: number | undefined
  claim?: IdempotencyClaim | undefined
}

type Needs = { tenants: Tenants; manageSessions: ManageSessions; tokens: Tokens; rates: RateLimits; audit: Audit }

/** The tenant's server has authenticated the user, and hands their browser over with this. */
export const mintManageSession =
  (needs: Needs, settings: Pick<Settings, 'publicUrl' | 'rates'>) =>
  async (input: MintManageSession): Promise<{ session: ManageSession; url: string }> => {
    const { caller, actor, endUser, returnUrl, claim, ttlSeconds = usualManageSeconds } = input
    const tenant = await readTenant(needs)({ caller, id: input.tenant })
    assertActive(tenant)
    const [id, token] = [needs.tokens.id('mng', claim?.seed), needs.tokens.fresh(claim?.seed)]
    const url = `${settings.publicUrl}/manage/${token}`
    const made = claim?.isRetry ? await needs.manageSessions.find(id) : undefined
    if (made) return { session: made, url }
    await limitRate(needs)(settings.rates.mint, tenant.id)
    if (returnUrl !== undefined) {
      await assertRegisteredReturn(needs, { actor, tenant: tenant.id, returnUrl }, tenant.returnUrls)
    }
    const session = await needs.manageSessions.create(
      { id, tenant: tenant.id, endUser, returnUrl, ttlSeconds, openWithinSeconds },
      needs.tokens.digest(token),
      {
        action: 'manage_session.minted',
        actor,
        subject: { kind: 'manage_session', id },
        tenant: tenant.id,
        facts: { ttlSeconds },
      },
    )
    return { session, url }
  }

type ById = { caller: Caller; id: string }

export const readManageSession =
  ({ manageSessions }: { manageSessions: ManageSessions }) =>
  async ({ caller, id }: ById): Promise<ManageSession> =>
    ownThing(await manageSessions.find(id), caller, 'manage session')

/** Its page ends at once, also in the browser that has it open. */
export const revokeManageSession =
  (needs: { manageSessions: ManageSessions }) =>
  async ({ actor, ...by }: ById & { actor: Actor }): Promise<ManageSession> => {
    const session = await readManageSession(needs)(by)
    await needs.manageSessions.revoke(session.id, {
      action: 'manage_session.revoked',
      actor,
      subject: { kind: 'manage_session', id: session.id },
      tenant: session.tenant,
      before: { revoked: false },
      after: { revoked: true },
    })
    return readManageSession(needs)(by)
  }
