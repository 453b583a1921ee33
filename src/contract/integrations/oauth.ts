// OAuth settings of a third party. Both programs link, refresh and revoke by them. The defaults follow the RFCs.
import { z } from 'zod'
import { Address, ValueName, valueShape } from './address-template.ts'

export const reservedAuthorizationParameters = [
  'client_id',
  'redirect_uri',
  'scope',
  'response_type',
  // A callback is a GET with a query: a form or fragment response would not arrive.
  'response_mode',
  'state',
  'code_challenge',
  'code_challenge_method',
  'nonce',
  'access_type',
  'request',
  'request_uri',
]

/** RFC 6749 §3.3. */
export const ScopeName = z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/, 'must be one scope')

const texts = z.record(z.string().min(1).max(100), z.string().max(1_000))

const AuthorizationParameters = texts.refine(
  (given) => !Object.keys(given).some((name) => reservedAuthorizationParameters.includes(name)),
  `must not set ${reservedAuthorizationParameters.join(', ')}`,
)

const MemberPath = z.string().regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/, 'must be a dotted path')

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
    'must not set headers that the program sets',
  )

const Input = z.strictObject({
  label: z.string().min(1).max(60),
  help: z.string().max(300).optional(),
  example: z.string().max(100).optional(),
  /** Used unless the tenant supplies another value. The connect page does not ask for such an input. */
  default: z.string().min(1).max(253).optional(),
  ...valueShape,
})

const Kept = z.strictObject({ ...valueShape, optional: z.boolean().optional() })

const AnswerError = z.union([
  z.string().min(1).max(100),
  z.strictObject({ error: z.string().min(1).max(100), status: z.int().min(100).max(599) }),
])
type AnswerError = z.infer<typeof AnswerError>

export const isAmong = (errors: readonly AnswerError[], error: string | undefined, status: number): boolean =>
  errors.some((each) => (typeof each === 'string' ? each === error : each.error === error && each.status === status))

export const ApiRules = z.strictObject({
  headers: ExtraHeaders.default({}),
  tokenHeader: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/)
    .default('authorization'),
  tokenPrefix: z
    .string()
    .max(30)
    .regex(/^[\x20-\x7e]*$/)
    .default('Bearer '),
  /** A response member that is false if the request failed with status 200. The code is in `error`. */
  successMember: z.string().min(1).max(60).optional(),
  /** A response member that lists errors of a request with status 200, for example `errors` in GraphQL. */
  errorsMember: z.string().min(1).max(60).optional(),
})

const ClientAuthentication = z.enum(['client_secret_post', 'client_secret_basic', 'none'])

export const oauthShape = {
  /** Discovery URL if there are no endpoints. For an MCP server: the only authorization server it may name. */
  issuer: z.url({ protocol: /^https?$/, error: 'must be an http(s) URL' }).optional(),
  endpoints: z
    .strictObject({
      authorization: Address,
      token: Address,
      userinfo: Address.optional(),
      jwks: Address.optional(),
    })
    .optional(),
  /** Values for gaps in URLs that the user enters or the tenant supplies before authorization. */
  inputs: z.record(ValueName, Input).default({}),
  /** Values from responses that are stored with the connection and fill gaps in URLs. */
  keep: z
    .strictObject({
      /** From the token response. `path` if the member is nested or has another name. */
      fromAnswer: z.record(ValueName, Kept.extend({ path: MemberPath.optional() })).default({}),
      /** From the callback's query. `parameter` if it has another name. Must equal the input of the same name. */
      fromCallback: z.record(ValueName, Kept.extend({ parameter: z.string().min(1).max(60).optional() })).default({}),
    })
    .prefault({}),
  /**
   * `refresh`: a refresh token. `lasting_access`: an access token that works until it is revoked. `exchange`: the first
   * access token is exchanged for one that does not expire.
   */
  grant: z.enum(['refresh', 'lasting_access', 'exchange']).default('refresh'),
  exchange: z
    .strictObject({
      url: Address.optional(),
      method: z.enum(['GET', 'POST']).default('POST'),
      grantType: z.string().min(1).max(100),
      tokenParameter: z.string().min(1).max(60),
      extra: texts.default({}),
    })
    .optional(),
  /** When refresh tokens are issued. Determines who has to act if one is missing. */
  refreshTokens: z.enum(['always', 'asked', 'app_setting', 'approved', 'never']).default('asked'),
  pkce: z.enum(['S256', 'none']).default('S256'),
  /** `unsupported`: ID tokens never contain the nonce of the request, which OpenID Connect Core §3.1.3.7 requires. */
  nonce: z.enum(['checked', 'unsupported']).default('checked'),
  clientAuthentication: ClientAuthentication.default('client_secret_post'),
  /** RFC 9207: the callback names the issuer, and other issuers are rejected. */
  issuerInCallback: z.boolean().default(false),
  scopeSeparator: z.enum([' ', ',', '+']).default(' '),
  /** `request`: scopes are requested. `app`: scopes are set in the app's registration and never requested. */
  scopesFrom: z.enum(['request', 'app']).default('request'),
  userScopeParameter: z.string().min(1).max(60).default('user_scope'),
  /** Sent with every authorization request, for example to request offline access. */
  authorizationParameters: AuthorizationParameters.default({}),
  /** Make the provider ask for consent again and issue a new refresh token. */
  forceConsentParameters: AuthorizationParameters.default({ prompt: 'consent' }),
  /** Make the provider offer another account. */
  otherAccountParameters: AuthorizationParameters.default({ prompt: 'login consent' }),
  /** Non-standard parameter names, for example `client_key` for `client_id`. */
  parameterNames: z
    .partialRecord(
      z.enum(['client_id', 'client_secret', 'redirect_uri', 'scope', 'code', 'refresh_token']),
      z.string().regex(/^[A-Za-z0-9_-]{1,60}$/),
    )
    .default({}),
  /** Sent as `redirect_uri` to an app that registers a name for it, such as the RuName of eBay. */
  redirectUriName: z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/, 'must be printable, without spaces')
    .optional(),
  codeParameter: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,60}$/)
    .default('code'),
  /**
   * The callback parameter with the HMAC-SHA256 (hex, by the client secret) of the other parameters, sorted by name and
   * form-encoded, as Shopify sends it. Unsigned and wrongly signed codes are rejected.
   */
  callbackSignature: z.strictObject({ parameter: z.string().regex(/^[A-Za-z0-9_-]{1,60}$/) }).optional(),
  tokenRequest: z
    .strictObject({
      format: z.enum(['form', 'json']).default('form'),
      extra: texts.default({}),
      headers: ExtraHeaders.default({}),
    })
    .prefault({}),
  refresh: z
    .strictObject({
      url: Address.optional(),
      extra: texts.default({}),
      /** Optional in RFC 6749 §6, but required by some providers. */
      scopeNeeded: z.boolean().default(false),
      /** Defaults to that of the code exchange. */
      clientAuthentication: ClientAuthentication.optional(),
    })
    .prefault({}),
  /**
   * `rfc7009`: a form with the token. `bearer`: a POST authorized by the token. `delete`: a DELETE with client Basic auth
   * and the token in a JSON body. `client_header`: a POST with the client in a header. `json`: a POST of JSON with the
   * client and the token. `deauthorize`: a form with the client ID and the account. `none`: not supported.
   */
  revocation: z
    .strictObject({
      style: z.enum(['rfc7009', 'bearer', 'delete', 'client_header', 'json', 'deauthorize', 'none']).default('rfc7009'),
      /** Defaults to the discovered endpoint. `{client_id}` is also filled in. */
      url: Address.optional(),
      method: z.enum(['POST', 'GET', 'DELETE']).optional(),
      /** The parameter or member for the token or, for `deauthorize`, the account. */
      parameter: z.string().min(1).max(60).optional(),
      /** For `json`: the members for the client, if they have other names. */
      clientParameters: z
        .strictObject({ client_id: z.string().min(1).max(60), client_secret: z.string().min(1).max(60) })
        .optional(),
      /** For `rfc7009`. Defaults to that of the code exchange. */
      clientAuthentication: ClientAuthentication.optional(),
      /** For `client_header`: the prefix of the secret in `Authorization`. */
      scheme: z.string().min(1).max(30).optional(),
      extra: texts.default({}),
      headers: ExtraHeaders.default({}),
      /** Required token type, if the provider accepts only one. */
      token: z.enum(['refresh_token', 'access_token']).optional(),
      /** Whether revoking ends one token or the whole grant. */
      reach: z.enum(['token', 'grant']).default('grant'),
    })
    .prefault({}),
  tokenAnswer: z
    .strictObject({
      successMember: z.string().min(1).max(60).optional(),
      anyTokenType: z.boolean().optional(),
      /** Path of the object that contains the token, for example `authed_user`. */
      within: MemberPath.optional(),
      errorMember: MemberPath.optional(),
      /** A member with the expiry time of the access token: ISO 8601 or Unix seconds. */
      expiresAtMember: MemberPath.optional(),
      /** Lifetime of access tokens if the response has no `expires_in`. */
      expiresInSeconds: z.int().positive().optional(),
    })
    .prefault({}),
  brokenGrantErrors: z.array(AnswerError).default(['invalid_grant']),
  clientErrors: z.array(AnswerError).default([]),
  /**
   * `none`: the refresh token stays valid. `replaces`: each refresh replaces it. `single_use`: also, reuse of the previous
   * token revokes the grant. Undefined: unknown.
   */
  rotation: z.enum(['none', 'replaces', 'single_use']).optional(),
  refreshIdleDays: z.int().positive().optional(),
  refreshMaxAgeDays: z.int().positive().optional(),
  /** Max live grants of one account. Beyond it, the oldest grant ends or the new one is rejected. */
  limits: z
    .strictObject({
      liveGrants: z.int().positive(),
      per: z.enum(['account_and_client', 'account']).default('account_and_client'),
      beyond: z.enum(['oldest_ends', 'refused']).default('oldest_ends'),
    })
    .optional(),
  /** The source of the account's identity and the dotted paths of its ID and label. */
  account: z
    .strictObject({
      from: z.enum(['id_token', 'userinfo', 'token_response', 'callback', 'inputs', 'none']),
      id: z.string().default('sub'),
      label: z.string().default('email'),
      /** Used if the member at `id` is missing or null. */
      otherwise: z.strictObject({ id: z.string(), label: z.string() }).optional(),
      /** Overrides the default request to `endpoints.userinfo`, a GET with a bearer token. */
      method: z.enum(['GET', 'POST']).optional(),
      body: z.json().optional(),
      /** For `callback`: a URL that answers 200 only if the new token belongs to the account in it. */
      proof: Address.optional(),
    })
    .prefault({ from: 'id_token' }),
  api: ApiRules.prefault({}),
}
