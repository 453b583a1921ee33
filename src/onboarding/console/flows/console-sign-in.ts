import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import {
  authTimeUnknown,
  type ConsoleSession,
  type ConsoleSettings,
  type ConsoleUser,
  roleIn,
  type SignInAttempt,
} from '../../domain/console.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import type { SignInIdentity, SignInRequest } from '../../domain/ports/console.ts'
import type { ConsoleDeps } from '../../domain/ports/ports.ts'
import { sealContext } from '../../domain/seal-context.ts'

export async function beginSignIn(
  { issuer, tokens, seal, now }: ConsoleDeps['ports'],
  { next, again }: { next: string; again: boolean },
): Promise<{ url: string; attempt: SignInAttempt }> {
  const request = { state: tokens.fresh(), nonce: tokens.fresh(), verifier: new Secret(tokens.fresh()), again }
  const url = await issuer.signInUrl(request).catch(rethrowAsFailure)
  const verifier = seal.seal(request.verifier, sealContext.consoleVerifier(request.state))
  return { url, attempt: { ...request, verifier, next, startedAt: now().getTime() } }
}

type FinishSignIn = { query: Record<string, string>; attempt: SignInAttempt; actor: Actor }
type SignedIn = { session: ConsoleSession; refreshToken: Secret | undefined }

export async function finishSignIn(
  ports: ConsoleDeps['ports'],
  settings: ConsoleSettings,
  { query, attempt, actor }: FinishSignIn,
): Promise<SignedIn> {
  const request: SignInRequest = {
    ...attempt,
    verifier: ports.seal.open(attempt.verifier, sealContext.consoleVerifier(attempt.state)),
  }
  const identity = await ports.issuer.identify(query, request).catch(rethrowAsFailure)
  const user = userOf(identity, settings)
  const { subject, email } = subjectAndEmail(identity)
  const about = {
    actor: { ...actor, kind: 'support' as const, id: subject, name: email },
    subject: { kind: 'console_user' as const, id: subject },
  }
  // A subject is only unique per issuer.
  const { issuer } = settings
  if (!user) {
    await ports.audit.note({ action: 'console.refused', ...about, facts: { issuer } })
    const over = await ports.rates.take(rejectedRule, identity.subject)
    if (over) throw new Failure('rate_limited', refusedTooOften, over)
    throw new Failure('role_missing', 'Your account has no role in this console.')
  }
  const authenticatedAt = authTimeOf(identity, attempt, ports.now())
  const facts = { issuer, role: user.role, again: attempt.again }
  await ports.audit.note({ action: 'console.signed_in', ...about, facts })
  const session = { user, signedInAt: ports.now().getTime(), authenticatedAt, formToken: ports.tokens.fresh() }
  return { session, refreshToken: identity.refreshToken }
}

const rejectedRule = { name: 'refused-sign-in', max: 5, windowSeconds: 900, uncounted: 'refused' } as const

const refusedTooOften = `Your account has no role in this console. It was rejected more than ${rejectedRule.max} times within ${rejectedRule.windowSeconds / 60} minutes.`

function userOf(
  { subject, claims }: SignInIdentity,
  { roleClaim, roleNames }: ConsoleSettings,
): ConsoleUser | undefined {
  const role = roleIn(claims[roleClaim], roleNames)
  return role && { ...subjectAndEmail({ subject, claims }), role }
}

const subjectAndEmail = ({ subject, claims }: Pick<SignInIdentity, 'subject' | 'claims'>) => ({
  subject: subject.slice(0, 200),
  email: typeof claims.email === 'string' ? claims.email.slice(0, 200) : undefined,
})

/**
 * Re-authentication requires an auth_time after the request: a new token alone is also issued for an open session at
 * the issuer. max_age makes the issuer send auth_time (OpenID Connect Core, section 2).
 */
function authTimeOf({ authenticatedAt }: SignInIdentity, { again, startedAt }: SignInAttempt, now: Date): number {
  if (!again) return authenticatedAt?.getTime() ?? 0
  const skewMs = 60_000
  if (!authenticatedAt) throw authTimeUnknown()
  if (authenticatedAt.getTime() < startedAt - skewMs) {
    throw new Failure('sign_in_failed', 'Your sign-in service did not ask you to sign in again. Please try again.')
  }
  return now.getTime()
}

/** Indexed by user, so that all of a user's sessions can be ended. */
export function rememberSession(
  { consoleSessions, seal }: ConsoleDeps['ports'],
  { session, sessionId, refreshToken }: SignedIn & { sessionId: string },
): Promise<void> {
  const sealed = refreshToken && seal.seal(refreshToken, sealContext.consoleGrant(sessionId))
  return consoleSessions.remember(session.user.subject, sessionId, sealed)
}

const refreshRule = { name: 'console-again', max: 1, windowSeconds: 60, uncounted: 'refused' } as const

/**
 * Refreshes the identity once a minute, so that a session ends when the account or role is removed. The session
 * continues if the issuer does not respond. Without a refresh token, it lasts until its max age.
 */
export async function isStillAuthorized(
  ports: ConsoleDeps['ports'],
  settings: ConsoleSettings,
  sessionId: string,
  session: ConsoleSession,
): Promise<boolean> {
  const { user } = session
  if (!(await ports.consoleSessions.remembers(user.subject, sessionId))) return false
  if (await ports.rates.take(refreshRule, ports.tokens.digest(sessionId))) return true
  const sealed = await ports.consoleSessions.grantOf(sessionId)
  if (!sealed) return true
  const token = ports.seal.open(sealed, sealContext.consoleGrant(sessionId))
  const again = await ports.issuer.refreshIdentity(token, user.subject).catch(async (error) => {
    if (error instanceof DependencyError) return 'no answer' as const
    // Our own error ends the session, because the next check is a minute away.
    await endSession(ports, sessionId, session)
    throw error
  })
  if (again === 'no answer') return true
  if (!again) return false
  if (again.refreshToken) {
    await ports.consoleSessions.keepGrant(
      sessionId,
      ports.seal.seal(again.refreshToken, sealContext.consoleGrant(sessionId)),
    )
  }
  // Many issuers omit empty claims, so a missing claim means that the user lost all roles.
  return !again.claims || roleIn(again.claims[settings.roleClaim], settings.roleNames) === user.role
}

export const endSession = (
  { consoleSessions }: ConsoleDeps['ports'],
  sessionId: string,
  { user }: ConsoleSession,
): Promise<void> => consoleSessions.forget(user.subject, sessionId)

export async function endAllSessions(
  { consoleSessions, audit }: ConsoleDeps['ports'],
  { user, actor }: { user: ConsoleUser; actor: Actor },
): Promise<number> {
  const ended = await consoleSessions.endAll(user.subject)
  const subject = { kind: 'console_user' as const, id: user.subject }
  await audit.note({ action: 'console.signed_out_everywhere', actor, subject, facts: { sessions: ended } })
  return ended
}

function rethrowAsFailure(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error
  if (error.cause === 'provider_unavailable') {
    const detail = `The sign-in service (CONSOLE_ISSUER) can’t be reached: ${error.detail}.`
    throw new Failure('sign_in_unavailable', detail, { retryAfterSeconds: 5, cause: error })
  }
  throw new Failure('sign_in_failed', 'You were not signed in.')
}
