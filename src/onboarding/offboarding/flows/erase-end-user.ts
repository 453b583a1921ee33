import type { Actor } from '../../domain/audit/audit.ts'
import { missing, requestInvalid } from '../../domain/failure.ts'
import { parameterError } from '../../domain/input-error.ts'
import { type Erasure, isOpenErasure, namesUser } from '../../domain/offboarding/erasure.ts'
import type { Erasures } from '../../domain/ports/erasures.ts'
import type { Background, IdempotencyClaim, Page, RateLimits, Tokens } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'
import { type Caller, maySee, ownThing, sightOn } from '../../domain/tenant.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { inputInvalid } from '../../linking/flows/mint-connect-session.ts'
import { type ErasureNeeds, type ErasureSettings, workOnErasure } from './work-on-erasure.ts'

export type EraseEndUser = {
  caller: Caller
  actor: Actor
  tenant: string
  endUserId: string
  reason?: string | undefined
  claim?: IdempotencyClaim | undefined
}

type Needs = ErasureNeeds & { background: Background; rates: RateLimits }

/**
 * Removes what names one user of a tenant. Whoever is not known here has an empty receipt: a tenant that has to erase
 * somebody everywhere need not know where they were. Asking again while one is under way changes nothing.
 */
export const eraseEndUser =
  (needs: Needs, settings: ErasureSettings & Pick<Settings, 'rates'>) =>
  async ({ caller, actor, tenant, endUserId, reason, claim }: EraseEndUser): Promise<Erasure> => {
    if (!maySee(caller, tenant)) throw missing('tenant', tenant)
    // Also of a tenant that is suspended or deleted: what a person may ask for does not depend on it.
    if (!(await needs.tenants.find(tenant))) throw missing('tenant')
    if (reason !== undefined && namesUser(reason, endUserId)) {
      throw inputInvalid('/reason', 'must not name the user: it stays in the audit log')
    }
    await limitRate(needs)(settings.rates.mint, tenant)
    const id = needs.tokens.id('ers', claim?.seed)
    const made = claim?.isRetry ? await needs.erasures.find(id) : undefined
    if (made) return made
    const erasure = await needs.erasures.open(
      { id, tenant, subject: needs.tokens.userHash({ tenant, id: endUserId }), endUserId, actor },
      { action: 'end_user.erasure_started', actor, subject: { kind: 'erasure', id }, tenant, reason },
    )
    // This process begins it; a sweep continues it should the process end.
    if (erasure.id === id && isOpenErasure(erasure)) {
      void needs.background.keep(workOnErasure(needs, settings)(erasure))
    }
    return erasure
  }

export const readErasure =
  ({ erasures }: { erasures: Erasures }) =>
  async ({ caller, id }: { caller: Caller; id: string }): Promise<Erasure> =>
    ownThing(await erasures.find(id), caller, 'erasure')

export type ListErasures = {
  caller: Caller
  tenant: string | undefined
  endUserId: string | undefined
  cursor: string | undefined
  limit: number
}

/** Newest first. A user is found again by the hash of their id, which needs the tenant. */
export const listErasures =
  ({ erasures, tokens }: { erasures: Erasures; tokens: Tokens }) =>
  async ({ caller, tenant, endUserId, cursor, limit }: ListErasures): Promise<Page<Erasure>> => {
    if (tenant !== undefined && !maySee(caller, tenant)) throw missing('tenant', tenant)
    const sight = sightOn(caller, tenant)
    if (endUserId === undefined) return erasures.list({ ...sight, cursor, limit })
    if (sight.tenant === undefined) throw requestInvalid(parameterError('tenantId', 'is required with endUserId'))
    const subject = tokens.userHash({ tenant: sight.tenant, id: endUserId })
    return erasures.list({ ...sight, subject, cursor, limit })
  }
