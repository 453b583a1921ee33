import type { Secret } from '../../../kit/crypto/secret.ts'

export type Identified = {
  subject: string
  claims: Record<string, unknown>
  provedAt: Date | undefined
  /** With it the issuer can be asked later whether this person still is who they were. */
  refreshToken: Secret | undefined
}

/** `claims`: none when the issuer vouches without saying anything about them (no identity token). */
export type Vouched = Pick<Identified, 'refreshToken'> & { claims: Identified['claims'] | undefined }

export type SignInQuestion = { state: string; nonce: string; verifier: Secret; again: boolean }

/** Where people of the console sign in. */
export type ConsoleIssuer = {
  signInUrl(question: SignInQuestion): Promise<string>
  /** Throws a DependencyError when the answer is not the one to our question. */
  identify(query: Record<string, string>, question: SignInQuestion): Promise<Identified>
  /** Nothing when the issuer no longer vouches for them. */
  askAgain(refreshToken: Secret, subject: string): Promise<Vouched | undefined>
}

/** Which sessions belong to whom, beside the sessions themselves. */
export type ConsoleSessions = {
  remember(subject: string, sessionId: string, sealedGrant: string | undefined): Promise<void>
  /** Not when it was ended: a request that was under way then may have written the session down once more. */
  remembers(subject: string, sessionId: string): Promise<boolean>
  grantOf(sessionId: string): Promise<string | undefined>
  keepGrant(sessionId: string, sealedGrant: string): Promise<void>
  forget(subject: string, sessionId: string): Promise<void>
  /** Ends every session of theirs; answers how many there were. */
  endAll(subject: string): Promise<number>
}

/** Only where people can sign in to the support console. */
export type ConsolePorts = { issuer: ConsoleIssuer; consoleSessions: ConsoleSessions }
