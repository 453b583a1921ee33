import type { ConnectSession } from '../domain/connect-session.ts'
import { Failure } from '../domain/failure.ts'
import type { Adapters, Settings } from './adapters.ts'
import { findClient } from './find-client.ts'
import { limitRate } from './limit-rate.ts'
import { readTenant } from './manage-tenants.ts'
import { refuseOtherReturn } from './mint-connect-session.ts'
import { liveConnection, type OnConnection } from './own-connection.ts'

export type RelinkConnection = OnConnection & {
  returnUrl?: string | undefined
  ttlSeconds?: number | undefined
  /** The account may be another one than before. */
  allowOtherAccount?: boolean | undefined
}

type Needs = Pick<Adapters, 'connections' | 'tenants' | 'sessions' | 'integrations' | 'tokens' | 'rates' | 'audit'>

/** As long as somebody needs who reads their mail once a day. */
const usualSeconds = 24 * 60 * 60

/** Mints the address that repairs a connection. Whoever opens it must sign in with the account it belongs to. */
export const relinkConnection =
  (needs: Needs, settings: Pick<Settings, 'publicUrl' | 'rates'>) =>
  async (input: RelinkConnection): Promise<{ session: ConnectSession; url: string }> => {
    const connection = await liveConnection(needs, input)
    const { tenant, integration, endUserId } = connection
    const { returnUrl, allowOtherAccount = false, ttlSeconds = usualSeconds, actor, reason } = input
    refuseTenantsOverride(input)
    await limitRate(needs)(settings.rates.mint, tenant)
    const owner = await readTenant(needs)({ caller: { keyId: '', tenant: undefined }, id: tenant })
    await findClient(needs, tenant, integration)
    if (returnUrl !== undefined) await refuseOtherReturn(needs, { actor, tenant, returnUrl }, owner.returnUrls)
    const [token, id] = [needs.tokens.fresh(), needs.tokens.id('ses')]
    const target = { connectionId: connection.id, allowOtherAccount, completionChallenge: undefined }
    const session = await needs.sessions.create(
      { id, tenant, integration, endUser: { id: endUserId }, returnUrl, ttlSeconds, ...target },
      needs.tokens.digest(token),
      {
        action: 'relink.minted',
        actor,
        tenant,
        connection: connection.id,
        reason,
        after: { session: id, allowOtherAccount, ttlSeconds },
      },
    )
    return { session, url: `${settings.publicUrl}/connect/${token}` }
  }

/** Whose account a connection belongs to is not for one side alone to change. */
function refuseTenantsOverride({ allowOtherAccount, tenant }: RelinkConnection) {
  if (allowOtherAccount && tenant !== undefined) {
    throw new Failure('key_limited', 'Only a key of the deployment may allow another account.')
  }
}
