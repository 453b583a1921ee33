// The mark is part of the tenant ID, so it needs no lookup and no live tenant can have it.

export const testTenantPrefix = 'test_'

export const isTestTenant = (id: string): boolean => id.startsWith(testTenantPrefix)

/** The workspace of a test tenant has its ID. The platform has no such workspace. */
export const isTestWorkspace = isTestTenant

export const testClientId = 'test-client'

export const isTestClient = ({ id }: { id: string }): boolean => id === testClientId

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

/** Encoded in the tokens: the provider stores nothing. */
export type TestGrant = { outcome: TestOutcome; scopes: string[]; grantedAt: number }

export const grantedScopes = (outcome: TestOutcome, requested: readonly string[]): string[] =>
  outcome === 'partial' ? requested.slice(0, -1) : [...requested]

/** The shorter lifetime is enough to create and test a link. */
const grantMs: Partial<Record<TestOutcome, number>> = { expires: 60 * 60 * 1_000, revoked: 10_000 }

export const isGrantAlive = ({ outcome, grantedAt }: TestGrant, now: Date): boolean =>
  now.getTime() < grantedAt + (grantMs[outcome] ?? Number.POSITIVE_INFINITY)

export const testAccount = ({ outcome }: Pick<TestGrant, 'outcome'>) =>
  outcome === 'other_account'
    ? { account_id: 'test-account-2', account_email: 'second@test.example' }
    : { account_id: 'test-account-1', account_email: 'first@test.example' }

/** Longer than the completion request waits, so the link is still pending. */
export const slowMs = 9_000

export function withOutcomeChosen(authorizationUrl: string, outcome: TestOutcome | undefined): string {
  if (outcome === undefined) return authorizationUrl
  const url = new URL(authorizationUrl)
  url.searchParams.set('outcome', outcome)
  return url.href
}
