// Test mode: tenants that meet neither a real provider nor the platform. The mark stands in the id of the tenant, so it
// travels with everything that is theirs: nobody has to look it up, and no live tenant can have such an id.

export const testTenantPrefix = 'test_'

export const isTestTenant = (id: string): boolean => id.startsWith(testTenantPrefix)

/** The workspace of a test tenant is called like the tenant. No workspace of the platform can be: it never hears of it. */
export const isTestWorkspace = isTestTenant

/** The OAuth client at the built-in provider, for every tenant and integration. */
export const testClientId = 'test-client'

export const isTestClient = ({ id }: { id: string }): boolean => id === testClientId

/** What the built-in provider does when a user comes to it. */
export const testOutcomes = [
  'approved',
  'denied',
  'partial',
  'no_refresh_token',
  'expires',
  'revoked',
  'slow',
  'other_account',
] as const
export type TestOutcome = (typeof testOutcomes)[number]

/** What was consented to there. It is in the tokens themselves: the provider stores nothing. */
export type TestGrant = { outcome: TestOutcome; scopes: string[]; grantedAt: number }

/** The last one is what a user unticks. */
export const grantedScopes = (outcome: TestOutcome, requested: readonly string[]): string[] =>
  outcome === 'partial' ? requested.slice(0, -1) : [...requested]

/** How long refresh tokens work. The shorter time is enough for a link to be made and tried, and can be waited for. */
const grantMs: Partial<Record<TestOutcome, number>> = { expires: 60 * 60 * 1_000, revoked: 10_000 }

export const isGrantAlive = ({ outcome, grantedAt }: TestGrant, now: Date): boolean =>
  now.getTime() < grantedAt + (grantMs[outcome] ?? Number.POSITIVE_INFINITY)

/** Who signs in there. */
export const testAccount = ({ outcome }: Pick<TestGrant, 'outcome'>) =>
  outcome === 'other_account'
    ? { account_id: 'test-account-2', account_email: 'second@test.example' }
    : { account_id: 'test-account-1', account_email: 'first@test.example' }

/** Longer than a tenant's request for completion waits, so that the link is still pending then. */
export const slowMs = 9_000

/** The authorization URL of the built-in provider, with what it shall do instead of asking. */
export function withOutcomeChosen(authorizationUrl: string, outcome: TestOutcome | undefined): string {
  if (outcome === undefined) return authorizationUrl
  const url = new URL(authorizationUrl)
  url.searchParams.set('outcome', outcome)
  return url.href
}
