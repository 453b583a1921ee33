// Sign-in to the support console, and the end of its sessions.

import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { type ConsoleSession, type ConsoleUser, roleIn, type SignInAttempt } from '../../domain/console.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import type { ConsolePorts, SignInRequest } from '../../domain/ports/console.ts'
import type { Audit, Clock, RateLimits, Seal, Tokens } from '../../domain/ports/shared.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { authTimeOf, type ConsoleSettings, subjectAndEmail, userOf } from './sign-in-claims.ts'

type Needs = { tokens: Tokens; seal: Seal; audit: Audit; now: Clock; rates: RateLimits } & ConsolePorts

export const beginSignIn =
  ({ issuer, tokens, seal, now }: Needs) =>
  async ({ next, again }: { next: string; again: boolean }): Promise<{ url: string; attempt: SignInAttempt }> => {
    const request = { state: tokens.fresh(), nonce: tokens.fresh(), verifier: new Secret(tokens.fresh()), again }
    const url = await issuer.signInUrl(request).catch(rethrowAsFailure)
    const verifier = seal.seal(request.verifier, sealContext.consoleVerifier(request.state))
    return { url, attempt: { ...request, verifier, next, startedAt: now().getTime() } }
  }

export type FinishSignIn = { query: Record<string, string>; attempt: SignInAttempt; actor: Actor }
export type SignedIn = { session: ConsoleSession; refreshToken: Secret | undefined }

export const finishSignIn =
  (needs: Needs, settings: ConsoleSettings) =>
  async ({ query, attempt, actor }: FinishSignIn): Promise<SignedIn> => {
    const request: SignInRequest = {
      ...attempt,
      verifier: needs.seal.open(attempt.verifier, sealContext.consoleVerifier(attempt.state)),
    }
    const identity = await needs.issuer.identify(query, request).catch(rethrowAsFailure)
    const user = userOf(identity, settings)
    const { subject, email } = subjectAndEmail(identity)
    const about = {
      actor: { ...actor, kind: 'support' as const, id: subject, name: email },
      subject: { kind: 'console_user' as const, id: subject },
    }
    // A subject is unique per issuer only, so the entry names the issuer.
    const { issuer } = settings
    if (!user) {
      await needs.audit.note({ action: 'console.refused', ...about, facts: { issuer } })
      const over = await needs.rates.take(rejectedRule, identity.subject)
      if (over) throw new Failure('rate_limited', refusedTooOften, over)
      throw new Failure('role_missing', 'Your account has no role in this console.')
    }
    const authenticatedAt = authTimeOf(identity, attempt, needs.now())
    const facts = { issuer, role: user.role, again: attempt.again }
    await needs.audit.note({ action: 'console.signed_in', ...about, facts })
    const session = { user, signedInAt: needs.now().getTime(), authenticatedAt, formToken: needs.tokens.fresh() }
    return { session, refreshToken: identity.refreshToken }
  }

/** Per account: signing in again without a role is pointless. */
const rejectedRule = { name: 'refused-sign-in', most: 5, windowSeconds: 900, uncounted: 'refused' } as const

const refusedTooOften = `Your account has no role in this console, and was turned away more than ${rejectedRule.most} times within ${rejectedRule.windowSeconds / 60} minutes.`

/** Indexes sessions by user, so that all of a user's sessions can be ended. */
export const rememberSession =
  ({ consoleSessions, seal }: Needs) =>
  ({ session, sessionId, refreshToken }: SignedIn & { sessionId: string }): Promise<void> => {
    const sealed = refreshToken && seal.seal(refreshToken, sealContext.consoleGrant(sessionId))
    return consoleSessions.remember(session.user.subject, sessionId, sealed)
  }

const refreshRule = { name: 'console-again', most: 1, windowSeconds: 60, uncounted: 'refused' } as const

/**
 * Refreshes the user's identity once a minute, so that a session ends with the account or the role behind it. An issuer
 * that does not respond ends nothing. Without a refresh token the issuer is not asked, and the session ends at its limits.
 */
export const isStillAuthorized =
  (needs: Needs, settings: ConsoleSettings) =>
  async (sessionId: string, session: ConsoleSession): Promise<boolean> => {
    const { user } = session
    if (!(await needs.consoleSessions.remembers(user.subject, sessionId))) return false
    if (await needs.rates.take(refreshRule, needs.tokens.digest(sessionId))) return true
    const sealed = await needs.consoleSessions.grantOf(sessionId)
    if (!sealed) return true
    const token = needs.seal.open(sealed, sealContext.consoleGrant(sessionId))
    const again = await needs.issuer.refreshIdentity(token, user.subject).catch(async (error) => {
      if (error instanceof DependencyError) return 'no answer' as const
      // A fault of our own: the issuer is not asked again within the minute, so the session would live on it.
      await endSession(needs)(sessionId, session)
      throw error
    })
    if (again === 'no answer') return true
    if (!again) return false
    if (again.refreshToken) {
      await needs.consoleSessions.keepGrant(
        sessionId,
        needs.seal.seal(again.refreshToken, sealContext.consoleGrant(sessionId)),
      )
    }
    // Many issuers omit an empty claim: a missing claim means that the user lost every role.
    return !again.claims || roleIn(again.claims[settings.roleClaim], settings.roleNames) === user.role
  }

export const endSession =
  ({ consoleSessions }: Needs) =>
  (sessionId: string, { user }: ConsoleSession): Promise<void> =>
    consoleSessions.forget(user.subject, sessionId)

export const endAllSessions =
  ({ consoleSessions, audit }: Needs) =>
  async ({ user, actor }: { user: ConsoleUser; actor: Actor }): Promise<number> => {
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
