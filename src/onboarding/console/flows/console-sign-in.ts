// How people get into the support console, and how they are shown out again.

import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../domain/audit.ts'
import {
  type ConsoleSession,
  type ConsoleUser,
  proofUntold,
  type RoleNames,
  roleIn,
  type SignInAttempt,
} from '../../domain/console.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { Failure } from '../../domain/failure.ts'
import type { ConsolePorts, Identified, SignInQuestion } from '../../domain/ports/console.ts'
import type { Audit, Clock, RateLimits, Seal, Tokens } from '../../domain/ports/shared.ts'
import { place } from '../../domain/sealed-place.ts'

export type ConsoleSettings = { issuer: string; roleClaim: string; roleNames: RoleNames }

type Needs = { tokens: Tokens; seal: Seal; audit: Audit; now: Clock; rates: RateLimits } & ConsolePorts

export const beginSignIn =
  ({ issuer, tokens, seal, now }: Needs) =>
  async ({ next, again }: { next: string; again: boolean }): Promise<{ url: string; attempt: SignInAttempt }> => {
    const question = { state: tokens.fresh(), nonce: tokens.fresh(), verifier: new Secret(tokens.fresh()), again }
    const url = await issuer.signInUrl(question).catch(explained)
    const verifier = seal.seal(question.verifier, place.consoleVerifier(question.state))
    return { url, attempt: { ...question, verifier, next, startedAt: now().getTime() } }
  }

export type FinishSignIn = { query: Record<string, string>; attempt: SignInAttempt; actor: Actor }
export type SignedIn = { session: ConsoleSession; refreshToken: Secret | undefined }

export const finishSignIn =
  (needs: Needs, settings: ConsoleSettings) =>
  async ({ query, attempt, actor }: FinishSignIn): Promise<SignedIn> => {
    const question: SignInQuestion = {
      ...attempt,
      verifier: needs.seal.open(attempt.verifier, place.consoleVerifier(attempt.state)),
    }
    const identified = await needs.issuer.identify(query, question).catch(explained)
    const user = userOf(identified, settings)
    const { subject, email } = identifiedName(identified)
    const about = {
      actor: { ...actor, kind: 'support' as const, id: subject, name: email },
      subject: { kind: 'console_user' as const, id: subject },
    }
    // Who somebody is holds at one issuer alone: these entries say at which.
    const { issuer } = settings
    if (!user) {
      await needs.audit.note({ action: 'console.refused', ...about, facts: { issuer } })
      const over = await needs.rates.take(refusedRule, identified.subject)
      if (over) throw new Failure('rate_limited', 'Too many attempts. Wait a while, then sign in again.', over)
      throw new Failure('role_missing', 'Your account has no role in this console.')
    }
    const provedAt = provedTime(identified, attempt, needs.now())
    const facts = { issuer, role: user.role, again: attempt.again }
    await needs.audit.note({ action: 'console.signed_in', ...about, facts })
    const session = { user, signedInAt: needs.now().getTime(), provedAt, formToken: needs.tokens.fresh() }
    return { session, refreshToken: identified.refreshToken }
  }

/** By account: whoever has no role gains nothing by trying on. */
const refusedRule = { name: 'refused-sign-in', most: 5, windowSeconds: 900, uncounted: 'refused' } as const

/** Says which session is whose, so that all of somebody's can be ended. */
export const rememberSession =
  ({ consoleSessions, seal }: Needs) =>
  ({ session, sessionId, refreshToken }: SignedIn & { sessionId: string }): Promise<void> => {
    const sealed = refreshToken && seal.seal(refreshToken, place.consoleGrant(sessionId))
    return consoleSessions.remember(session.user.subject, sessionId, sealed)
  }

const askAgainRule = { name: 'console-again', most: 1, windowSeconds: 60, uncounted: 'refused' } as const

/**
 * Once a minute the issuer is asked whether it still vouches for somebody, so that a session ends with the account
 * or the role behind it. An issuer that does not answer ends nothing, and one that gave nothing to ask with is not
 * asked: then the limits of the session have to do.
 */
export const stillVouchedFor =
  (needs: Needs, settings: ConsoleSettings) =>
  async (sessionId: string, { user }: ConsoleSession): Promise<boolean> => {
    if (!(await needs.consoleSessions.remembers(user.subject, sessionId))) return false
    if (await needs.rates.take(askAgainRule, needs.tokens.digest(sessionId))) return true
    const sealed = await needs.consoleSessions.grantOf(sessionId)
    if (!sealed) return true
    const token = needs.seal.open(sealed, place.consoleGrant(sessionId))
    const again = await needs.issuer.askAgain(token, user.subject).catch(() => 'no answer' as const)
    if (again === 'no answer') return true
    if (!again) return false
    if (again.refreshToken) {
      await needs.consoleSessions.keepGrant(
        sessionId,
        needs.seal.seal(again.refreshToken, place.consoleGrant(sessionId)),
      )
    }
    // Many issuers leave a claim out when it would be empty: who has lost every role is told by its absence.
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

function userOf({ subject, claims }: Identified, { roleClaim, roleNames }: ConsoleSettings): ConsoleUser | undefined {
  const role = roleIn(claims[roleClaim], roleNames)
  return role && { ...identifiedName({ subject, claims }), role }
}

const identifiedName = ({ subject, claims }: Pick<Identified, 'subject' | 'claims'>) => ({
  subject: subject.slice(0, 200),
  email: typeof claims.email === 'string' ? claims.email.slice(0, 200) : undefined,
})

/**
 * Who was asked to prove it again must have done so since. Asked with an age, the issuer must say when (OpenID Connect
 * Core, section 2): one that does not may have asked for nothing. That its token is new says only that somebody was let
 * through, as by a session that an open screen still has.
 */
function provedTime({ provedAt }: Identified, { again, startedAt }: SignInAttempt, now: Date): number {
  if (!again) return provedAt?.getTime() ?? 0
  const skewMs = 60_000
  if (!provedAt) throw proofUntold()
  if (provedAt.getTime() < startedAt - skewMs) {
    throw new Failure('sign_in_failed', 'Your sign-in service did not ask you to sign in again. Please try again.')
  }
  return now.getTime()
}

function explained(error: unknown): never {
  if (!(error instanceof DependencyError)) throw error
  if (error.cause === 'provider_unavailable') {
    throw new Failure('provider_unavailable', 'The sign-in service isn’t responding.', { retryAfterSeconds: 5 })
  }
  throw new Failure('sign_in_failed', 'You were not signed in.')
}
