import type { Secret } from '../../../kit/crypto/secret.ts'

export type SignInIdentity = {
  subject: string
  claims: Record<string, unknown>
  authenticatedAt: Date | undefined
  /** Refreshes the identity later, to see whether the account is still valid. */
  refreshToken: Secret | undefined
}

/** `claims`: undefined if the issuer sent no identity token. */
export type RefreshedIdentity = Pick<SignInIdentity, 'refreshToken'> & { claims: SignInIdentity['claims'] | undefined }

export type SignInRequest = { state: string; nonce: string; verifier: Secret; again: boolean }

/** Where people of the console sign in. */
export type ConsoleIssuer = {
  signInUrl(question: SignInRequest): Promise<string>
  /** Throws a DependencyError when the answer is not the one to our question. */
  identify(query: Record<string, string>, question: SignInRequest): Promise<SignInIdentity>
  /** Returns undefined if the issuer no longer accepts the account. */
  refreshIdentity(refreshToken: Secret, subject: string): Promise<RefreshedIdentity | undefined>
}

/** Which sessions belong to whom, beside the sessions themselves. */
export type ConsoleSessions = {
  remember(subject: string, sessionId: string, sealedGrant: string | undefined): Promise<void>
  /** False once it was ended: a request in flight may have saved the session again. */
  remembers(subject: string, sessionId: string): Promise<boolean>
  grantOf(sessionId: string): Promise<string | undefined>
  keepGrant(sessionId: string, sealedGrant: string): Promise<void>
  forget(subject: string, sessionId: string): Promise<void>
  /** Ends every session of theirs; answers how many there were. */
  endAll(subject: string): Promise<number>
  /** True for the first who sends this form in this session, however many send it at once. */
  claimForm(sessionId: string, form: string): Promise<boolean>
  /** Nothing came of it: the same form may be sent again. */
  releaseForm(sessionId: string, form: string): Promise<void>
}

/** Only where people can sign in to the support console. */
export type ConsolePorts = { issuer: ConsoleIssuer; consoleSessions: ConsoleSessions }
