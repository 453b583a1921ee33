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
  /** The expected account, and whether the user returned with another one before. */
  account?: { label: string; missed: boolean } | undefined
}

export type TokenRequest = {
  integration: Integration
  client: OAuthClient
  code: Secret
  issuer: string | undefined
  nonce: string
  verifier: Secret
  config: Config
  keep(raw: Secret): Promise<void>
} & CallObserver

/** `note` is called for every request except metadata and keys, which links share. */
export type CallObserver = { note?: NoteCall | undefined; traceparent?: string | undefined }

export type RefreshRequest = Pick<TokenRequest, 'integration' | 'client' | 'keep' | keyof CallObserver> & {
  raw: Secret
  trialRefresh?: Secret | undefined
}

/** `rotated`: the provider replaced the refresh token. */
export type RefreshOutcome = { rotated: boolean }

export type GrantTokens =
  | { refreshToken: Secret; accessToken?: undefined }
  | { accessToken: Secret; refreshToken?: undefined }

export type Grant = {
  refreshToken: Secret | undefined
  accessToken?: Secret | undefined
  scopes: string[] | undefined
  account: UpstreamAccount | undefined
  config?: Config | undefined
}

/** `promised`: the callback has to name its issuer. */
export type KnownIssuer = { issuer: string | undefined; promised: boolean }

export type Provider = {
  authorizationUrl(request: AuthorizationRequest): Promise<string>
  issuerOf(integration: Integration): Promise<KnownIssuer>
  exchange(request: TokenRequest): Promise<Grant>
  reread(
    request: Pick<TokenRequest, 'integration' | 'client' | 'config' | keyof CallObserver>,
    raw: Secret,
  ): Promise<Grant>
  /** Uses the refresh token once, or exchanges the first access token. Stores the response before it is parsed. */
  refresh(request: RefreshRequest): Promise<RefreshOutcome>
  rereadRefresh(request: Omit<RefreshRequest, 'keep'>, trialRefresh: Secret): Promise<RefreshOutcome>
  /** Account and scopes of an imported grant, as far as the provider reports them. */
  describeRefresh(
    request: Pick<TokenRequest, 'integration' | 'client' | 'config' | keyof CallObserver>,
    trialRefresh: Secret,
  ): Promise<Pick<Grant, 'account' | 'scopes' | 'config'>>
  /** Wraps an imported refresh token as a token response for the escrow. */
  wrapRefreshToken(refreshToken: Secret): Secret
  tokensOf(integration: Integration, raw: Secret, trialRefresh: Secret | undefined): GrantTokens | undefined
  /** Undefined if the response has no newer token. An unreadable response may have one and is stored as well. */
  refreshToKeep(trialRefresh: Secret | undefined, answer: Secret): Secret | undefined
  revoke(
    request: Pick<TokenRequest, 'integration' | 'client' | keyof CallObserver>,
    raw: Secret,
    trialRefresh?: Secret,
  ): Promise<RevocationOutcome>
}

/** Methods that always send a request for one link, with the name of the call in metrics, traces and logs. */
export const providerCalls = {
  exchange: 'exchange',
  refresh: 'refresh',
  revoke: 'revocation',
} as const satisfies Partial<Record<keyof Provider, string>>

export const providerMethods = Object.keys(providerCalls) as Array<keyof typeof providerCalls>

/** `not_offered`: no revocation endpoint. `blocked`: this deployment does not call the address. */
export type RevocationOutcome = 'revoked' | 'refused' | 'blocked' | 'not_offered'
