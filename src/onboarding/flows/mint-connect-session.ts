import type { Actor } from '../domain/audit.ts'
import type { ConnectSession } from '../domain/connect-session.ts'
import { Failure, missing } from '../domain/failure.ts'
import type { EndUser } from '../domain/link.ts'
import { isAllowedReturn } from '../domain/return-url.ts'
import { type Caller, maySee } from '../domain/tenant.ts'
import type { Adapters, Settings } from './adapters.ts'
import { findClient } from './find-client.ts'
import { limitRate } from './limit-rate.ts'

export type MintConnectSession = {
  caller: Caller
  actor: Actor
  tenant: string
  integration: string
  endUser: EndUser
  returnUrl: string
  completionChallenge: string | undefined
  ttlSeconds: number | undefined
}

type Needs = Pick<Adapters, 'tenants' | 'sessions' | 'integrations' | 'tokens' | 'rates'>

export const mintConnectSession =
  (needs: Needs, settings: Pick<Settings, 'publicUrl' | 'completion' | 'sessionSeconds' | 'rates'>) =>
  async (input: MintConnectSession): Promise<{ session: ConnectSession; url: string }> => {
    const tenant = maySee(input.caller, input.tenant) ? await needs.tenants.find(input.tenant) : undefined
    if (!tenant) throw missing('tenant')
    await limitRate(needs)(settings.rates.mint, tenant.id)
    await findClient(needs, tenant.id, input.integration)
    refuseUnsafe(input, tenant.returnUrls, settings.completion)
    const token = needs.tokens.fresh()
    const id = needs.tokens.id('ses')
    const { endUser, returnUrl, completionChallenge, integration } = input
    const session = await needs.sessions.create(
      {
        id,
        tenant: tenant.id,
        integration,
        endUser,
        returnUrl,
        completionChallenge,
        ttlSeconds: input.ttlSeconds ?? settings.sessionSeconds,
      },
      needs.tokens.digest(token),
      { action: 'session.minted', actor: input.actor, tenant: tenant.id, reason: id },
    )
    return { session, url: `${settings.publicUrl}/connect/${token}` }
  }

function refuseUnsafe(input: MintConnectSession, returnUrls: readonly string[], completion: Settings['completion']) {
  if (!isAllowedReturn(input.returnUrl, returnUrls)) {
    throw inputInvalid('/returnUrl', 'is not one of the return URLs registered for this tenant')
  }
  if (completion === 'required' && input.completionChallenge === undefined) {
    throw inputInvalid('/completionChallenge', 'is required: the base64url SHA-256 of a verifier you keep')
  }
}

const inputInvalid = (pointer: string, detail: string) =>
  new Failure('input_invalid', 'The request has a value we cannot take.', { errors: [{ pointer, detail }] })
