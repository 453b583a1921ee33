import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Integration, OAuthClient } from '../integration.ts'
import type { Config, UpstreamAccount } from '../link.ts'
import type { NoteCall } from '../trace/outside-call.ts'

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
  /** What was typed and came with the callback: an account may be told there. */
  config: Config
  /** Called with the raw answer before anybody reads it; the exchange goes on only when it is kept. */
  keep(raw: Secret): Promise<void>
} & CallObserver

/**
 * `note`: is told of every request that is made for it, but not of metadata and keys, which all links share.
 * `traceparent`: of the trace that the call is a part of.
 */
export type CallObserver = { note?: NoteCall | undefined; traceparent?: string | undefined }

/** `trialRefresh` is what came back when it was used before. */
export type RefreshRequest = Pick<TokenRequest, 'integration' | 'client' | 'keep' | keyof CallObserver> & {
  raw: Secret
  trialRefresh?: Secret | undefined
}

/** `rotated`: the provider replaced the refresh token by another one. */
export type RefreshOutcome = { rotated: boolean }

/** What the platform is given to act with: a refresh token, or an access token that lasts. */
export type GrantTokens =
  | { refreshToken: Secret; accessToken?: undefined }
  | { accessToken: Secret; refreshToken?: undefined }

export type Grant = {
  refreshToken: Secret | undefined
  /** Where access lasts without refreshing, it is what is granted. */
  accessToken?: Secret | undefined
  scopes: string[] | undefined
  account: UpstreamAccount | undefined
  /** What the profile keeps of the answer. */
  config?: Config | undefined
}

/** Whom a callback may name as its sender, and whether it has to. */
export type KnownIssuer = { issuer: string | undefined; promised: boolean }

export type Provider = {
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  issuerOf(integration: Integration): Promise<KnownIssuer>
  exchange(request: TokenRequest): Promise<Grant>
  /** Reads an answer that was kept before, without asking the provider again. */
  reread(
    request: Pick<TokenRequest, 'integration' | 'client' | 'config' | keyof CallObserver>,
    raw: Secret,
  ): Promise<Grant>
  /** Uses the refresh token once, or exchanges the first access token. What comes back is kept before anybody reads it. */
  refresh(request: RefreshRequest): Promise<RefreshOutcome>
  /** Reads what came back before, without asking the provider again. */
  rereadRefresh(request: Omit<RefreshRequest, 'keep'>, trialRefresh: Secret): Promise<RefreshOutcome>
  /**
   * What a refresh tells of a grant that did not come from a token answer of ours: whose it is, where the provider can be
   * asked, and what it allows, where the answer says so.
   */
  describeRefresh(
    request: Pick<TokenRequest, 'integration' | 'client' | 'config' | keyof CallObserver>,
    trialRefresh: Secret,
  ): Promise<Pick<Grant, 'account' | 'scopes' | 'config'>>
  /** A refresh token as if a provider had answered with it: what escrow holds of a grant that was imported. */
  wrapRefreshToken(refreshToken: Secret): Secret
  /** The newest token of a grant, of the sort its profile says: the one it was tried with may have been replaced. */
  tokensOf(integration: Integration, raw: Secret, trialRefresh: Secret | undefined): GrantTokens | undefined
  /**
   * What to keep in the place of `trialRefresh` when a grant in use was refreshed. Undefined if the answer has no newer
   * token; one that cannot be read may have, and is kept beside what was there.
   */
  refreshToKeep(trialRefresh: Secret | undefined, answer: Secret): Secret | undefined
  revoke(
    request: Pick<TokenRequest, 'integration' | 'client' | keyof CallObserver>,
    raw: Secret,
    trialRefresh?: Secret,
  ): Promise<RevocationOutcome>
}

/**
 * `not_offered`: the provider has no way to revoke. `refused`: it has, and did not do it. `blocked`: it was not asked,
 * because this deployment does not call its address.
 */
export type RevocationOutcome = 'revoked' | 'refused' | 'blocked' | 'not_offered'
