import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Integration, OAuthClient } from '../integration.ts'
import type { UpstreamAccount } from '../link.ts'

export type AuthorizationRequest = {
  integration: Integration
  client: OAuthClient
  state: string
  nonce: string
  verifier: Secret
  forceConsent: boolean
  /** The account that is wanted, and whether the user came back with another one before. */
  account?: { label: string; missed: boolean } | undefined
}

export type TokenRequest = {
  integration: Integration
  client: OAuthClient
  code: Secret
  issuer: string | undefined
  nonce: string
  verifier: Secret
  /** Called with the raw answer before anybody reads it; the exchange goes on only when it is kept. */
  keep(raw: Secret): Promise<void>
}

/** `trialRefresh` is what came back when it was used before. */
export type RefreshRequest = Pick<TokenRequest, 'integration' | 'client' | 'keep'> & {
  raw: Secret
  trialRefresh?: Secret | undefined
}

/** `rotated`: the provider replaced the refresh token by another one. */
export type RefreshOutcome = { rotated: boolean }

export type Grant = {
  refreshToken: Secret | undefined
  scopes: string[] | undefined
  account: UpstreamAccount | undefined
}

/** Whom a callback may name as its sender, and whether it has to. */
export type KnownIssuer = { issuer: string | undefined; promised: boolean }

export type Provider = {
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  issuerOf(integration: Integration): Promise<KnownIssuer>
  exchange(request: TokenRequest): Promise<Grant>
  /** Reads an answer that was kept before, without asking the provider again. */
  reread(request: Pick<TokenRequest, 'integration' | 'client'>, raw: Secret): Promise<Grant>
  /** Uses the refresh token once. What comes back is kept before anybody reads it. */
  refresh(request: RefreshRequest): Promise<RefreshOutcome>
  /** Reads what came back before, without asking the provider again. */
  rereadRefresh(request: Omit<RefreshRequest, 'keep'>, trialRefresh: Secret): Promise<RefreshOutcome>
  /** The refresh token of a grant: the one it was tried with may have been replaced. Undefined if it has none. */
  refreshTokenOf(raw: Secret, trialRefresh: Secret | undefined): Secret | undefined
  /**
   * What to keep in the place of `trialRefresh` when a grant in use was refreshed. Undefined if the answer has no newer
   * token; one that cannot be read may have, and is kept beside what was there.
   */
  refreshToKeep(trialRefresh: Secret | undefined, answer: Secret): Secret | undefined
  revoke(
    request: Pick<TokenRequest, 'integration' | 'client'>,
    raw: Secret,
    trialRefresh?: Secret,
  ): Promise<RevocationOutcome>
}

/** `not_offered`: the provider has no way to revoke. `refused`: it has, and did not do it. */
export type RevocationOutcome = 'revoked' | 'refused' | 'not_offered'
