import type { Actor } from '../../domain/audit/audit.ts'
import { type ManageSession, openWithinSeconds, usualManageSeconds } from '../../domain/end-users/manage-session.ts'
import type { EndUser } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'
import { assertActive, type Caller, ownThing } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { assertRegisteredReturn } from '../../linking/flows/mint-connect-session.ts'
import type { ById } from '../../linking/flows/read-links.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

type MintManageSession = {
  caller: Caller
  actor: Actor
  tenant: string
  endUser: EndUser
  returnUrl: string | undefined
  ttlSeconds: number | undefined
  claim?: IdempotencyClaim | undefined
}

export async function mintManageSession(
  ports: Ports,
  settings: Settings,
  input: MintManageSession,
): Promise<{ session: ManageSession; url: string }> {
  const { caller, actor, endUser, returnUrl, claim, ttlSeconds = usualManageSeconds } = input
  const tenant = await readTenant(ports, { caller, id: input.tenant })
  assertActive(tenant)
  const [id, token] = [ports.tokens.id('mng', claim?.seed), ports.tokens.fresh(claim?.seed)]
  const url = `${settings.publicUrl}/manage/${token}`
  const made = claim?.isRetry ? await ports.manageSessions.find(id) : undefined
  if (made) return { session: made, url }
  await limitRate(ports, settings.rates.mint, tenant.id)
  if (returnUrl !== undefined) {
    await assertRegisteredReturn(ports, { actor, tenant: tenant.id, returnUrl }, tenant.returnUrls)
  }
  const session = await ports.manageSessions.create(
    { id, tenant: tenant.id, endUser, returnUrl, ttlSeconds, openWithinSeconds },
    ports.tokens.digest(token),
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

export const readManageSession = async (
  { manageSessions }: Pick<Ports, 'manageSessions'>,
  { caller, id }: ById,
): Promise<ManageSession> => ownThing(await manageSessions.find(id), caller, 'manage session')

export async function revokeManageSession(
  ports: Pick<Ports, 'manageSessions'>,
  { actor, ...by }: ById & { actor: Actor },
): Promise<ManageSession> {
  const session = await readManageSession(ports, by)
  await ports.manageSessions.revoke(session.id, {
    action: 'manage_session.revoked',
    actor,
    subject: { kind: 'manage_session', id: session.id },
    tenant: session.tenant,
    before: { revoked: false },
    after: { revoked: true },
  })
  return readManageSession(ports, by)
}
