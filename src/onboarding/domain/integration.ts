// An integration is data: a profile of how a third party does OAuth, plus the client registered there.
import type { Secret } from '../../kit/crypto/secret.ts'
import type { Snapshot } from './audit/audit.ts'

export type Scope = { name: string; description?: string | undefined; optional?: boolean | undefined }

export type ClientAuthentication = 'client_secret_post' | 'client_secret_basic' | 'none'

export type Endpoints = {
  authorization: string
  token: string
  userinfo?: string | undefined
  revocation?: string | undefined
  jwks?: string | undefined
}

/** Where the account's identity comes from, and which members of that answer name it. */
export type AccountSource = {
  from: 'id_token' | 'userinfo' | 'token_response' | 'none'
  id: string
  label: string
}

export type Profile = {
  id: string
  displayName: string
  description: string
  /** Metadata is discovered there, unless the endpoints are given. */
  issuer?: string | undefined
  endpoints?: Endpoints | undefined
  scopes: readonly Scope[]
  scopeSeparator: ' ' | ','
  /** How offline access is asked for beyond `access_type=offline`, on every authorization. */
  authorizationParameters: Readonly<Record<string, string>>
  /** What makes a provider ask for consent again, and so issue a new refresh token. */
  forceConsentParameters: Readonly<Record<string, string>>
  clientAuthentication: ClientAuthentication
  /** RFC 9207: the provider names itself in the callback, so an answer of another one is refused. */
  issuerInCallback: boolean
  account: AccountSource
  /** How the token endpoint departs from RFC 6749 §5.1. */
  tokenAnswer: TokenAnswerQuirks
  revocationReach: RevocationReach
  /**
   * A refresh token is good for one use: the answer brings the next one. Where that is known not to be so, a first link
   * tries its grant; undefined if it is not known.
   */
  rotatesRefreshTokens?: boolean | undefined
  /** What makes a provider let the user choose another account than the one it remembers. */
  otherAccountParameters: Readonly<Record<string, string>>
  health: HealthProfile
}

/** What revoking one refresh token ends: that token alone, or everything the user granted to this client. */
export type RevocationReach = 'token' | 'grant'

export type HealthProfile = {
  /** `function`: by using a tool. `refresh`: by refreshing the grant and writing the answer back to the platform. */
  by: 'function' | 'refresh'
  /** A tool that only reads and costs little. Without one, a check sees whether the function answers, and no more. */
  tool?: string | undefined
  arguments?: Readonly<Record<string, unknown>> | undefined
  everySeconds?: number | undefined
}

export type TokenAnswerQuirks = {
  /** A member that is false when the request failed, although the status is 200; the code stands in `error`. */
  successMember?: string | undefined
  /** Other words than "Bearer" as the type of the token mean the same. */
  anyTokenType?: boolean | undefined
}

/** A client that a tenant brought for an integration, as far as anybody is told. */
export type OwnClient = {
  integration: string
  clientId: string
  hasSecret: boolean
  createdAt: Date
  updatedAt: Date
}

export type OAuthClient = { id: string; secret: Secret | undefined }

/** A tenant's own client is there, but the key that sealed its secret was lost. */
export class ClientUnreadable extends Error {}

/** What the audit keeps of a tenant's own client: which secret it was can be told, and no more. */
export const clientSnapshot = (integration: string, clientId: string, fingerprint: string | undefined): Snapshot => ({
  integration,
  clientId,
  secretFingerprint: fingerprint ?? null,
})

export type Integration = Profile & { client: OAuthClient | undefined }

/** Parameters of an authorization request that belong to the flow; a profile that sets one is refused at start. */
export const reservedAuthorizationParameters = [
  'client_id',
  'redirect_uri',
  'scope',
  'response_type',
  // A callback is a GET with a query: an answer in a form or a fragment would never arrive.
  'response_mode',
  'state',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'access_type',
  'request',
  'request_uri',
]
