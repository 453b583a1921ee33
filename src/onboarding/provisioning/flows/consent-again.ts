import type { Cause } from '../../domain/cause.ts'
import type { Profile } from '../../domain/integration.ts'
import type { Link } from '../../domain/link.ts'
import { withAddedScopes } from '../../domain/linking/scope-choice.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import { isUnrevoked } from '../../domain/stored-grant.ts'
import type { ReadyIntegration } from '../../tenants/flows/find-client.ts'
import type { Decision, StepContext } from './decision.ts'
import { accountChange, revokeEscrowed } from './escrowed-grant.ts'
import { afterRevocation, revokeSoon } from './failure-policy.ts'

const consentAgainSeconds = 15 * 60

const again = { forcedConsent: true, escrow: null, dueInSeconds: consentAgainSeconds }

export const lacksToken = ({ integration }: ReadyIntegration, { refreshToken, accessToken }: Grant): boolean =>
  integration.grant === 'refresh' ? !refreshToken : !accessToken

const missingTokenCauses = {
  always: 'no_refresh_token',
  asked: 'no_refresh_token',
  never: 'no_refresh_token',
  app_setting: 'refresh_tokens_off',
  approved: 'refresh_tokens_not_approved',
} as const satisfies Record<Profile['refreshTokens'], Cause>

/** Some providers omit the refresh token for a known user. A second consent returns one. */
export function decideWithoutRefreshToken({ integration }: ReadyIntegration, link: Link, grant: Grant): Decision {
  const cause = missingTokenCauses[integration.refreshTokens]
  // The app's registration does not allow refresh tokens, so another consent does not help.
  if (cause !== 'no_refresh_token') return { kind: 'fail', cause, revoke: true, changes: accountChange(grant) }
  const canForce = Object.keys(integration.forceConsentParameters).length > 0
  if (link.forcedConsent || !canForce) return { kind: 'fail', cause, revoke: true, changes: accountChange(grant) }
  return { kind: 'move', to: 'authorizing', changes: again, facts: { cause } }
}

/** The account is that of a connection with more scopes, which a grant without them would take away. */
export async function askForMoreScopes(
  context: StepContext,
  link: Link,
  grant: Grant,
  scopes: readonly string[],
): Promise<Decision> {
  const cause = 'scope_missing'
  const known = accountChange(grant)
  const outcome = await revokeEscrowed(context, link, grant.account)
  if (isUnrevoked(outcome))
    return { kind: 'fail', cause, revoke: true, changes: { ...known, missingScopes: [...scopes] } }
  const offered = context.ports.integrations.of(link) ?? context.ready.integration
  const config = { ...link.config, ...withAddedScopes(offered, link, scopes) }
  return { kind: 'move', to: 'authorizing', changes: { ...again, ...known, config }, facts: { cause } }
}

export async function askForOtherAccount(context: StepContext, link: Link, grant: Grant): Promise<Decision> {
  const cause = 'account_mismatch'
  const known = accountChange(grant)
  // A link sends one code of its first consent and one of a later one (`completionRound`).
  if (link.forcedConsent) return { kind: 'fail', cause, revoke: true, changes: known }
  const outcome = await revokeEscrowed(context, link, grant.account)
  if (isUnrevoked(outcome)) {
    const failed = { kind: 'fail', cause, revoke: true, changes: known } as const
    const at = { ...link, state: 'escrowed' } as const
    return revokeSoon(at, outcome, context.ports.chance()) ?? afterRevocation(at, failed, outcome, context.ports)
  }
  const changes = { ...again, cause, ...known } as const
  return { kind: 'move', to: 'authorizing', changes, action: 'relink.account_mismatch', facts: { grant: outcome } }
}
