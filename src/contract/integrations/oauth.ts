// How a third party does OAuth, as data: both programs link, refresh and revoke by it. The defaults are what RFCs say.
import { z } from 'zod'
import { Address, ValueName, valueShape } from './address-template.ts'
import { AnswerError } from './answer-error.ts'

/** Parameters of an authorization request that belong to the flow; a profile that sets one is refused. */
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

/** RFC 6749, section 3.3. */
export const ScopeName = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope')

const texts = z.record(z.string().min(1).max(100), z.string().max(1_000))

const AuthorizationParameters = texts.refine(
  (given) => !Object.keys(given).some((name) => reservedAuthorizationParameters.includes(name)),
  `must not set ${reservedAuthorizationParameters.join(', ')}`,
)

/** A dotted path to a member of an answer: `authed_user.access_token`. */
const MemberPath = z.string().regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/, 'must be names with dots between')

/** Headers that the programs set themselves. */
const ownHeaders =
  /^(authorization|content-type|content-length|host|accept-encoding|connection|cookie|transfer-encoding)$/i
export const ExtraHeaders = z
  .record(
    z.string().regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a header name'),
    z
      .string()
      .max(500)
      .regex(/^[\x20-\x7e]*$/),
  )
  .refine(
    (given) => !Object.keys(given).some((name) => ownHeaders.test(name)),
    'must not set a header of the request itself',
  )

const Input = z.strictObject({
  label: z.string().min(1).max(60),
  help: z.string().max(300).optional(),
  example: z.string().max(100).optional(),
  ...valueShape,
})

const Kept = z.strictObject({ ...valueShape, optional: z.boolean().optional() })

/** What every request to the API carries, and how its answers tell a failure. */
export const ApiRules = z.strictObject({
  headers: ExtraHeaders.default({}),
  /** The header with the access token, and what stands before it. */
  tokenHeader: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .default('authorization'),
  tokenPrefix: z
    .string()
    .max(30)
    .regex(/^[\x20-\x7e]*$/)
    .default('Bearer '),
  /** A member that is false when a request failed, although the status is 200; the code stands in `error`. */
  successMember: z.string().min(1).max(60).optional(),
  /** A member that lists what went wrong, although the status is 200: `errors` in GraphQL. */
  errorsMember: z.string().min(1).max(60).optional(),
})

export const oauthShape = {
  /** Metadata is discovered there, unless the endpoints are given. Of an MCP server: the only one that it may name. */
  issuer: z.url({ protocol: /^https?$/, error: 'must be an http(s) address' }).optional(),
  endpoints: z
    .strictObject({
      authorization: Address,
      token: Address,
      userinfo: Address.optional(),
      jwks: Address.optional(),
    })
    .optional(),
  /** What the user types before the authorization (or the tenant says), and fills gaps in addresses. */
  inputs: z.record(ValueName, Input).default({}),
  /** What is kept from the answers, for the connection and for gaps in addresses. */
  keep: z
    .strictObject({
      /** From the token answer; `path` where the member has another name, or is inside another. */
      fromAnswer: z.record(ValueName, Kept.extend({ path: MemberPath.optional() })).default({}),
      /** From the callback's query; `parameter` where it has another name. One named like an input has to equal it. */
      fromCallback: z.record(ValueName, Kept.extend({ parameter: z.string().min(1).max(60).optional() })).default({}),
    })
    .prefault({}),
  /**
   * `refresh`: a refresh token. `lasting_access`: an access token that is used until it is revoked. `exchange`: the first
   * access token is exchanged for one of that sort.
   */
  grant: z.enum(['refresh', 'lasting_access', 'exchange']).default('refresh'),
  /** Of the grant `exchange`: the request for the token that lasts, which takes the client as the token request does. */
  exchange: z
    .strictObject({
      url: Address.optional(),
      method: z.enum(['GET', 'POST']).default('POST'),
      grantType: z.string().min(1).max(100),
      /** The parameter that has the first access token. */
      tokenParameter: z.string().min(1).max(60),
      extra: texts.default({}),
    })
    .optional(),
  /** When refresh tokens come: whose move it is when none came. */
  refreshTokens: z.enum(['always', 'asked', 'app_setting', 'approved', 'never']).default('asked'),
  pkce: z.enum(['S256', 'none']).default('S256'),
  clientAuthentication: z.enum(['client_secret_post', 'client_secret_basic', 'none']).default('client_secret_post'),
  /** RFC 9207: the provider names itself in the callback, so an answer of another one is refused. */
  issuerInCallback: z.boolean().default(false),
  scopeSeparator: z.enum([' ', ',', '+']).default(' '),
  /** `request`: asked for one by one. `app`: set where the app is registered, so none are sent and none are missed. */
  scopesFrom: z.enum(['request', 'app']).default('request'),
  /** The parameter for scopes that are marked as the user's own (`user: true`). */
  userScopeParameter: z.string().min(1).max(60).default('user_scope'),
  /** How offline access is asked for beyond `access_type=offline`, on every authorization. */
  authorizationParameters: AuthorizationParameters.default({}),
  /** What makes a provider ask for consent again, and so issue a new refresh token. */
  forceConsentParameters: AuthorizationParameters.default({ prompt: 'consent' }),
  /** What makes a provider let the user choose another account than the one it remembers. */
  otherAccountParameters: AuthorizationParameters.default({ prompt: 'login consent' }),
  /** Other names of parameters, in authorization and token requests: `client_id` is `client_key` at some. */
  parameterNames: z
    .partialRecord(
      z.enum(['client_id', 'client_secret', 'redirect_uri', 'scope', 'code', 'refresh_token']),
      z.string().regex(/^[A-Za-z0-9_-]{1,60}$/),
    )
    .default({}),
  /** The callback's parameter that has the code. */
  codeParameter: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,60}$/)
    .default('code'),
  /**
   * The callback's parameter that signs the others by the client's secret, as Shopify does: HMAC-SHA256 in hex of the
   * others, sorted by name and written as a form. A code without it, or with a wrong one, is refused.
   */
  callbackSignature: z.strictObject({ parameter: z.string().regex(/^[A-Za-z0-9_-]{1,60}$/) }).optional(),
  tokenRequest: z
    .strictObject({
      format: z.enum(['form', 'json']).default('form'),
      extra: texts.default({}),
      headers: ExtraHeaders.default({}),
    })
    .prefault({}),
  /** What refreshing does otherwise than the token request. */
  refresh: z
    .strictObject({
      url: Address.optional(),
      extra: texts.default({}),
      /** RFC 6749 §6 makes the scope optional; some want it. */
      scopeNeeded: z.boolean().default(false),
    })
    .prefault({}),
  /**
   * `rfc7009`: a form with the token. `bearer`: a POST authorized by the token itself. `delete`: a DELETE by the client
   * (Basic), the token in a JSON body. `client_header`: a POST, the client in a header of its own. `deauthorize`: a form
   * with the client id and the account. `none`: the provider has no way.
   */
  revocation: z
    .strictObject({
      style: z.enum(['rfc7009', 'bearer', 'delete', 'client_header', 'deauthorize', 'none']).default('rfc7009'),
      /** Without it, the one that was discovered. `{client_id}` is filled in, too. */
      url: Address.optional(),
      method: z.enum(['POST', 'GET', 'DELETE']).optional(),
      /** The parameter or member that has the token or, for `deauthorize`, the account. */
      parameter: z.string().min(1).max(60).optional(),
      /** Of `client_header`: what stands before the secret in `Authorization`. */
      scheme: z.string().min(1).max(30).optional(),
      extra: texts.default({}),
      headers: ExtraHeaders.default({}),
      /** Which token is sent, where it has to be one of them. */
      token: z.enum(['refresh_token', 'access_token']).optional(),
      /** What it ends: that token alone, or everything the user granted to this client. */
      reach: z.enum(['token', 'grant']).default('grant'),
    })
    .prefault({}),
  tokenAnswer: z
    .strictObject({
      /** A member that is false when the request failed, although the status is 200. */
      successMember: z.string().min(1).max(60).optional(),
      /** Other words than "Bearer" as the type of the token mean the same. */
      anyTokenType: z.boolean().optional(),
      /** The object that has the token and what belongs to it, where it is not the answer itself: `authed_user`. */
      within: MemberPath.optional(),
      /** Where the error's code stands, if not in `error`. */
      errorMember: MemberPath.optional(),
      /** A member with the time at which the access token ends, ISO 8601 or seconds since 1970. */
      expiresAtMember: MemberPath.optional(),
      /** How long access tokens last where the answer does not say. */
      expiresInSeconds: z.int().positive().optional(),
    })
    .prefault({}),
  /** Errors that mean the grant is gone for good. */
  brokenGrantErrors: z.array(AnswerError).default(['invalid_grant']),
  /** Errors that mean the client is wrong: its id, its secret, or what it may do. */
  clientErrors: z.array(AnswerError).default([]),
  /**
   * `none`: a refresh token stays. `replaces`: a refresh brings the next one, and the previous one ends. `single_use`: the
   * same, and a second use of the previous one ends the grant. Undefined if it is not known.
   */
  rotation: z.enum(['none', 'replaces', 'single_use']).optional(),
  /** After so many days without a refresh the grant ends. */
  refreshIdleDays: z.int().positive().optional(),
  /** After so many days the grant ends, whatever is done with it. */
  refreshMaxAgeDays: z.int().positive().optional(),
  /** How many grants of one account may live; one more ends the oldest, or is refused. */
  limits: z
    .strictObject({
      liveGrants: z.int().positive(),
      per: z.enum(['account_and_client', 'account']).default('account_and_client'),
      beyond: z.enum(['oldest_ends', 'refused']).default('oldest_ends'),
    })
    .optional(),
  /** Where the account's identity comes from, and which members of that answer name it, as dotted paths. */
  account: z
    .strictObject({
      from: z.enum(['id_token', 'userinfo', 'token_response', 'callback', 'inputs', 'none']),
      id: z.string().default('sub'),
      label: z.string().default('email'),
      /** How `endpoints.userinfo` is asked, where it is not a GET with the access token as bearer. */
      method: z.enum(['GET', 'POST']).optional(),
      body: z.json().optional(),
    })
    .prefault({ from: 'id_token' }),
  api: ApiRules.prefault({}),
}
