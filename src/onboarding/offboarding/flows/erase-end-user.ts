import type { Actor } from '../../domain/audit/audit.ts'
import { requestInvalid } from '../../domain/failure.ts'
import { parameterError } from '../../domain/input-error.ts'
import { type Erasure, isOpenErasure, namesUser } from '../../domain/offboarding/erasure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim, Page } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'
import { type Caller, maySee, missingTenant, ownThing, sightOn } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { inputInvalid } from '../../linking/flows/mint-connect-session.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'
import { workOnErasure } from './work-on-erasure.ts'

type EraseEndUser = {
  caller: Caller
  actor: Actor
  tenant: string
  endUserId: string
  reason?: string | undefined
  claim?: IdempotencyClaim | undefined
}

/** Unknown users get an empty receipt. Idempotent while an erasure is in progress. */
export async function eraseEndUser(
  ports: Ports,
  settings: Settings,
  { caller, actor, tenant, endUserId, reason, claim }: EraseEndUser,
): Promise<Erasure> {
  // Suspended and deleted tenants included: the right to erasure does not depend on the tenant.
  await readTenant(ports, { caller, id: tenant })
  if (reason !== undefined && namesUser(reason, endUserId)) {
    throw inputInvalid('/reason', 'must not name the user, because it stays in the audit log')
  }
  await limitRate(ports, settings.rates.mint, tenant)
  const id = ports.tokens.id('ers', claim?.seed)
  const made = claim?.isRetry ? await ports.erasures.find(id) : undefined
  if (made) return made
  const erasure = await ports.erasures.open(
    { id, tenant, subject: ports.tokens.userHash({ tenant, id: endUserId }), endUserId, actor },
    { action: 'end_user.erasure_started', actor, subject: { kind: 'erasure', id }, tenant, reason },
  )
  // If this process dies, the sweep continues.
  if (erasure.id === id && isOpenErasure(erasure)) {
    void ports.background.keep(workOnErasure(ports, settings, erasure))
  }
  return erasure
}

export const readErasure = async (
  { erasures }: Ports,
  { caller, id }: { caller: Caller; id: string },
): Promise<Erasure> => ownThing(await erasures.find(id), caller, 'erasure')

type ListErasures = {
  caller: Caller
  tenant: string | undefined
  endUserId: string | undefined
  cursor: string | undefined
  limit: number
}

export async function listErasures(
  { erasures, tokens }: Ports,
  { caller, tenant, endUserId, cursor, limit }: ListErasures,
): Promise<Page<Erasure>> {
  if (tenant !== undefined && !maySee(caller, tenant)) throw missingTenant(caller, tenant)
  const sight = sightOn(caller, tenant)
  if (endUserId === undefined) return erasures.list({ ...sight, cursor, limit })
  if (sight.tenant === undefined) throw requestInvalid(parameterError('tenantId', 'is required with endUserId'))
  const subject = tokens.userHash({ tenant: sight.tenant, id: endUserId })
  return erasures.list({ ...sight, subject, cursor, limit })
}
