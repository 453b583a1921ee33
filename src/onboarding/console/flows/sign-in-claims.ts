// What an ID token says about who signed in.
import { authTimeUnknown, type ConsoleUser, type RoleNames, roleIn, type SignInAttempt } from '../../domain/console.ts'
import { Failure } from '../../domain/failure.ts'
import type { SignInIdentity } from '../../domain/ports/console.ts'

export type ConsoleSettings = { issuer: string; roleClaim: string; roleNames: RoleNames }

export function userOf(
  { subject, claims }: SignInIdentity,
  { roleClaim, roleNames }: ConsoleSettings,
): ConsoleUser | undefined {
  const role = roleIn(claims[roleClaim], roleNames)
  return role && { ...subjectAndEmail({ subject, claims }), role }
}

export const subjectAndEmail = ({ subject, claims }: Pick<SignInIdentity, 'subject' | 'claims'>) => ({
  subject: subject.slice(0, 200),
  email: typeof claims.email === 'string' ? claims.email.slice(0, 200) : undefined,
})

/**
 * A re-authentication must be newer than its request. The request has a max_age, so the issuer must send auth_time (OpenID
 * Connect Core, section 2). A new token alone proves nothing: an open session at the issuer also gets one.
 */
export function authTimeOf(
  { authenticatedAt }: SignInIdentity,
  { again, startedAt }: SignInAttempt,
  now: Date,
): number {
  if (!again) return authenticatedAt?.getTime() ?? 0
  const skewMs = 60_000
  if (!authenticatedAt) throw authTimeUnknown()
  if (authenticatedAt.getTime() < startedAt - skewMs) {
    throw new Failure('sign_in_failed', 'Your sign-in service did not ask you to sign in again. Please try again.')
  }
  return now.getTime()
}
