// Where the user has to be asked for consent once more, and what was granted does not stay.
import type { Cause } from '../../domain/cause.ts'
import type { Profile } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import { isUnrevoked } from '../../domain/stored-grant.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'
import type { Decision, StepContext } from './decision.ts'
import { accountChange, revokeEscrowed } from './escrowed-grant.ts'
import { afterRevocation, revokeSoon } from './failure-policy.ts'

/** How long the user may take. */
const consentAgainSeconds = 15 * 60

const again = { forcedConsent: true, escrow: null, dueInSeconds: consentAgainSeconds }

/** Whether a grant has not what its profile says that it brings. */
export const lacksToken = ({ integration }: ReadyIntegration, { refreshToken, accessToken }: Grant): boolean =>
  integration.grant === 'refresh' ? !refreshToken : !accessToken

/** Whose move it is depends on when the provider issues refresh tokens. */
const missingTokenCauses = {
  always: 'no_refresh_token',
  asked: 'no_refresh_token',
  never: 'no_refresh_token',
  app_setting: 'refresh_tokens_off',
  approved: 'refresh_tokens_not_approved',
} as const satisfies Record<Profile['refreshTokens'], Cause>

/** Providers that know the user already may grant without a refresh token; asking for consent again brings one. */
export function decideWithoutRefreshToken({ integration }: ReadyIntegration, link: Link, grant: Grant): Decision {
  const cause = missingTokenCauses[integration.refreshTokens]
  // No user's consent brings a refresh token that the app's registration withholds.
  if (cause !== 'no_refresh_token') return { kind: 'fail', cause, revoke: true, changes: accountChange(grant) }
  const canForce = Object.keys(integration.forceConsentParameters).length > 0
  if (link.forcedConsent || !canForce) return { kind: 'fail', cause, revoke: true, changes: accountChange(grant) }
  return { kind: 'move', to: 'authorizing', changes: again, facts: { cause } }
}

/** A re-link came back with another account: what it granted is revoked, and the user may sign in once more. */
export async function askForOtherAccount(context: StepContext, link: Link, grant: Grant): Promise<Decision> {
  const cause = 'account_mismatch'
  const known = accountChange(grant)
  const outcome = await revokeEscrowed(context, link, grant.account)
  if (isUnrevoked(outcome)) {
    const failed = { kind: 'fail', cause, revoke: true, changes: known } as const
    const at = { ...link, state: 'escrowed' } as const
    // The user waits on a page for a moment, and may sign in again from there once it is revoked.
    return revokeSoon(at, outcome, context.needs.chance()) ?? afterRevocation(at, failed, outcome, context.needs)
  }
  const changes = { ...again, cause, ...known } as const
  return { kind: 'move', to: 'authorizing', changes, action: 'relink.account_mismatch', facts: { grant: outcome } }
}
