// Where the user has to be asked for consent once more, and what was granted does not stay.
import type { Link } from '../../domain/link.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'
import type { Decision, StepContext } from './decision.ts'
import { accountChange, revokeEscrowed } from './escrowed-grant.ts'
import { afterRevocation, revokeSoon } from './failure-policy.ts'

/** How long the user may take. */
const consentAgainSeconds = 15 * 60

const again = { forcedConsent: true, escrow: null, dueInSeconds: consentAgainSeconds }

/** Providers that know the user already may grant without a refresh token; asking for consent again brings one. */
export function decideWithoutRefreshToken({ integration }: ReadyIntegration, link: Link, grant: Grant): Decision {
  const cause = 'no_refresh_token'
  const canForce = Object.keys(integration.forceConsentParameters).length > 0
  if (link.forcedConsent || !canForce) return { kind: 'fail', cause, revoke: true, changes: accountChange(grant) }
  return { kind: 'move', to: 'authorizing', changes: again, facts: { cause } }
}

/** A re-link came back with another account: what it granted is revoked, and the user may sign in once more. */
export async function askForOtherAccount(context: StepContext, link: Link, grant: Grant): Promise<Decision> {
  const cause = 'account_mismatch'
  const known = accountChange(grant)
  const outcome = await revokeEscrowed(context, link, grant.account)
  if (outcome === 'refused') {
    const failed = { kind: 'fail', cause, revoke: true, changes: known } as const
    const at = { ...link, state: 'escrowed' } as const
    // The user waits on a page for a moment, and may sign in again from there once it is revoked.
    return revokeSoon(at, context.needs.chance()) ?? afterRevocation(at, failed, outcome, context.needs)
  }
  const changes = { ...again, cause, ...known } as const
  return { kind: 'move', to: 'authorizing', changes, action: 'relink.account_mismatch', facts: { grant: outcome } }
}
