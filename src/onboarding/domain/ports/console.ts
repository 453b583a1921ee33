import type { Secret } from '../../../kit/crypto/secret.ts'

export type SignInIdentity = {
  subject: string
  claims: Record<string, unknown>
  authenticatedAt: Date | undefined
  /** For later checks that the account is still valid. */
  refreshToken: Secret | undefined
}

type RefreshedIdentity = Pick<SignInIdentity, 'refreshToken'> & { claims: SignInIdentity['claims'] | undefined }

export type SignInRequest = { state: string; nonce: string; verifier: Secret; again: boolean }

export type ConsoleIssuer = {
  signInUrl(question: SignInRequest): Promise<string>
  /** Throws a DependencyError if the response does not match the request. */
  identify(query: Record<string, string>, question: SignInRequest): Promise<SignInIdentity>
  /** Returns undefined if the issuer no longer accepts the account. */
  refreshIdentity(refreshToken: Secret, subject: string): Promise<RefreshedIdentity | undefined>
}

export type ConsoleSessions = {
  remember(subject: string, sessionId: string, sealedGrant: string | undefined): Promise<void>
  /** False once it was ended: a concurrent request may have saved the session again. */
  remembers(subject: string, sessionId: string): Promise<boolean>
  grantOf(sessionId: string): Promise<string | undefined>
  keepGrant(sessionId: string, sealedGrant: string): Promise<void>
  forget(subject: string, sessionId: string): Promise<void>
  endAll(subject: string): Promise<number>
  /** True for the first submission of this form in this session. */
  claimForm(sessionId: string, form: string): Promise<boolean>
}

export type ConsolePorts = { issuer: ConsoleIssuer; consoleSessions: ConsoleSessions }
