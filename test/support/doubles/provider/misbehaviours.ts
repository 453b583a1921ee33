// Misbehaviours for provider.misbehave(). calm() undoes them all.
import { createHmac } from 'node:crypto'
import type { Response } from 'express'
import type { JWTPayload } from 'jose'
import { type Behaviour, type Honest, providerClient, type TokenAnswer } from './provider.ts'

/** Changes members of the honest token response; undefined removes a member. */
const members = (change: (body: Record<string, unknown>) => Record<string, unknown>): Partial<Behaviour> => ({
  token: ({ body }) => ({ body: { ...body, ...change(body) } }),
})

/** Replaces the token response. */
const answers = (make: (honest: Honest) => TokenAnswer): Partial<Behaviour> => ({ token: make })

/** Replaces the ID token. */
const identity = (make: (honest: Honest) => Promise<string> | string): Partial<Behaviour> => ({
  token: async (honest) => ({ body: { ...honest.body, id_token: await make(honest) } }),
})
const claims = (change: (honest: Honest) => JWTPayload) =>
  identity((honest) => honest.sign({ ...honest.claims, ...change(honest) }))

/** Acts on the connection instead of responding. */
const socket = (act: (res: Response, honest: Honest) => void): Partial<Behaviour> => ({
  token: (honest, res) => {
    act(res, honest)
    return undefined
  },
})

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const inMinutes = (minutes: number) => Math.floor(Date.now() / 1_000) + minutes * 60

/** Mix-up attack: redirects to another provider's authorization endpoint with that provider's client. */
export const sendsOnTo = (other: { url: string }, redirectUri: string): Partial<Behaviour> => ({
  authorize(query, res) {
    const onward = new URLSearchParams({ ...query, client_id: providerClient.id, redirect_uri: redirectUri })
    res.redirect(303, `${other.url}/authorize?${onward}`)
  },
})

/** Holds requests until the test answers them. */
export const holds = (held: Response[]): Partial<Behaviour> => socket((res) => void held.push(res))

export const misbehaviours = {
  /** An error response that contains the tokens. */
  tokensWithStatus400: answers(({ body }) => ({ status: 400, body: { error: 'invalid_grant', ...body } })),

  // ---- Authorization endpoint and metadata ----

  /** Accepts any code_verifier, or none. */
  ignoresPkce: { checksPkce: false },
  onlyPlainChallenges: { metadata: { code_challenge_methods_supported: ['plain'] } },
  hidesChallengeMethods: { metadata: { code_challenge_methods_supported: undefined } },
  /** No `iss` in metadata (RFC 9207) and callbacks. */
  neverNamesItself: {
    metadata: { authorization_response_iss_parameter_supported: undefined },
    callback: { iss: undefined },
  },
  /** `iss` in callbacks, but not in metadata. */
  namesItselfUnasked: { metadata: { authorization_response_iss_parameter_supported: undefined } },

  // ---- Habits of well-known providers ----

  likeSlack: answers(({ body: { id_token: _, ...body } }) => ({
    body: { ok: true, ...body, token_type: 'bot', team: { id: 'T024BE7LD', name: 'Acme Team' } },
  })),
  /** An org-wide install (api.slack.com/enterprise/apps/reference, read 2026-11-18). */
  likeSlackOrganization: answers(({ body: { id_token: _, ...body } }) => ({
    body: {
      ok: true,
      ...body,
      token_type: 'bot',
      team: null,
      enterprise: { id: 'E1XXX', name: 'Starship' },
      is_enterprise_install: true,
    },
  })),
  refusesLikeSlack: answers(() => ({ body: { ok: false, error: 'invalid_code' } })),
  likeGitHub: {
    token: ({ body: { id_token: _, scope: _scope, ...body } }) => ({ body: { ...body, token_type: 'bearer' } }),
    userinfo: (res) => void res.json({ id: 583_231, login: 'octocat' }),
  },
  refusesLikeGitHub: answers(() => ({
    body: { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' },
  })),
  wantsBasic: { clientAuthentication: 'client_secret_basic' },
  takesPublicClients: { clientAuthentication: 'none' },

  // ---- Refresh tokens and scopes ----

  noRefreshToken: members(() => ({ refresh_token: undefined })),
  emptyRefreshToken: members(() => ({ refresh_token: '' })),
  numericRefreshToken: members(() => ({ refresh_token: 12345 })),
  nullRefreshToken: members(() => ({ refresh_token: null })),
  refreshTokenWithSpaces: members(({ refresh_token }) => ({ refresh_token: `${refresh_token} and more` })),
  refreshTokenWithNewline: members(({ refresh_token }) => ({ refresh_token: `${refresh_token}\n` })),
  refreshTokenOfEightKilobytes: members(({ refresh_token }) => ({
    refresh_token: `${refresh_token}`.padEnd(8_192, 'x'),
  })),
  narrowerScope: members(() => ({ scope: 'openid email' })),
  widerScope: members(({ scope }) => ({ scope: `${scope} files.delete` })),
  noScope: members(() => ({ scope: undefined })),
  reorderedScope: members(({ scope }) => ({ scope: String(scope).split(' ').reverse().join(' ') })),
  scopeWithZeroByte: members(({ scope }) => ({ scope: `${scope} files\u0000` })),
  scopeWithHalfACharacter: members(({ scope }) => ({ scope: `${scope} files\ud800` })),
  commaSeparatedScope: members(({ scope }) => ({ scope: String(scope).replaceAll(' ', ',') })),

  // ---- Errors of the token endpoint ----

  invalidGrant: answers(() => ({
    status: 400,
    body: { error: 'invalid_grant', error_description: 'CANARY-CODE-words' },
  })),
  invalidRequest: answers(() => ({
    status: 400,
    body: { error: 'invalid_request', error_description: 'CANARY-CODE-words' },
  })),
  invalidRequestWithStatus200: answers(() => ({ body: { error: 'invalid_request' } })),
  invalidClient: answers(() => ({
    status: 401,
    headers: { 'WWW-Authenticate': 'Basic realm="provider"' },
    body: { error: 'invalid_client' },
  })),
  redirectUriMismatch: answers(() => ({ status: 400, body: { error: 'redirect_uri_mismatch' } })),
  htmlError: answers(() => ({ status: 400, headers: html, body: '<h1>Bad request</h1>' })),
  tooManyRequests: answers(() => ({ status: 429, headers: { 'Retry-After': '1' }, body: { error: 'slow_down' } })),
  serverError: answers(() => ({ status: 500, body: { error: 'server_error' } })),
  outOfService: answers(() => ({ status: 503, headers: html, body: '<h1>Back soon</h1>' })),
  notOkWithStatus200: answers(() => ({ body: { ok: false } })),
  redirects: answers(() => ({ status: 307, headers: { Location: 'http://127.0.0.1:1/' }, body: '' })),

  // ---- Invalid or unusual JSON ----

  htmlWithStatus200: answers(() => ({ headers: html, body: '<h1>Welcome</h1>' })),
  jsonAsPlainText: answers(({ body }) => ({ headers: { 'Content-Type': 'text/plain' }, body: JSON.stringify(body) })),
  formEncoded: answers(({ body }) => ({
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams(body as Record<string, string>).toString(),
  })),
  array: answers(({ body }) => ({ body: [body] })),
  deeplyNested: answers(({ body }) => ({
    body: JSON.stringify(body).replace(/}$/, `,"deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}`),
  })),
  duplicateMembers: answers(({ body }) => ({
    body: JSON.stringify(body).replace(/^{/, '{"refresh_token":"CANARY-RT-first-of-two",'),
  })),
  prototypeMember: answers(({ body }) => ({
    body: JSON.stringify(body).replace(/^{/, '{"__proto__":{"refresh_token":"CANARY-RT-polluted"},'),
  })),
  notANumber: answers(({ body }) => ({ body: JSON.stringify({ ...body, expires_in: '?' }).replace('"?"', 'NaN') })),
  byteOrderMark: answers(({ body }) => ({ body: `\uFEFF${JSON.stringify(body)}` })),
  wrongCharset: answers(({ body }) => ({
    headers: { 'Content-Type': 'application/json; charset=utf-16' },
    body: JSON.stringify(body),
  })),
  unknownTokenType: members(() => ({ token_type: 'mystery' })),
  expiryInWords: members(() => ({ expires_in: 'soon' })),

  // ---- Connections ----

  hangs: socket(() => {}),
  sendsHeadersOnly: socket((res) => res.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders()),
  /** Sends single bytes forever, so that a timeout between bytes never fires. */
  drips: socket((res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' })
    const dripping = setInterval(() => res.write(' '), 20)
    res.on('close', () => clearInterval(dripping))
  }),
  /** Sends less than its Content-Length. */
  closesHalfWay: socket((res, { body }) => {
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '9999' })
    res.write(JSON.stringify(body).slice(0, 60))
    setTimeout(() => res.destroy(), 20)
  }),
  resetsAfterHeaders: socket((res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders()
    setTimeout(() => res.socket?.resetAndDestroy(), 20)
  }),
  floods: socket((res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' })
    const flood = () => {
      while (!res.destroyed && res.write('x'.repeat(64 * 1024)));
    }
    res.on('drain', flood)
    flood()
  }),

  // ---- ID tokens ----

  unsignedIdentity: identity(({ claims }) => `${base64url({ alg: 'none' })}.${base64url(claims)}.`),
  /** Signed with the client secret, which the client could verify. */
  identitySignedWithClientSecret: identity(({ claims }) => {
    const text = `${base64url({ alg: 'HS256' })}.${base64url(claims)}`
    return `${text}.${createHmac('sha256', providerClient.secret).update(text).digest('base64url')}`
  }),
  identityOfUnknownKey: identity(({ sign, claims }) => sign(claims, { kid: 'key-2' })),
  identityWithBrokenSignature: identity(async ({ sign, claims }) => {
    const [head, body] = (await sign(claims)).split('.')
    const [, , signature] = (await sign({ ...claims, sub: 'another' })).split('.')
    return `${head}.${body}.${signature}`
  }),
  identityForOthersToo: claims(({ claims: { aud } }) => ({ aud: [String(aud), 'somebody-else'] })),
  identityForOthersAuthorizedForUs: claims(({ claims: { aud } }) => ({
    aud: [String(aud), 'other'],
    azp: String(aud),
  })),
  identityAuthorizedForOthers: claims(({ claims: { aud } }) => ({ aud: [String(aud), 'other'], azp: 'other' })),
  identityForSomebodyElse: claims(() => ({ aud: 'somebody-else' })),
  identityOfOtherIssuer: claims(() => ({ iss: 'https://elsewhere.example' })),
  identityWithOtherNonce: claims(() => ({ nonce: 'x'.repeat(43) })),
  identityWithoutNonce: identity(({ sign, claims: { nonce: _, ...rest } }) => sign(rest)),
  identityWithoutSubject: identity(({ sign, claims: { sub: _, ...rest } }) => sign(rest)),
  noIdentity: members(() => ({ id_token: undefined })),
  identityFromTheFuture: claims(() => ({ iat: inMinutes(10), exp: inMinutes(70) })),
  identityExpiredASecondAgo: claims(() => ({ exp: inMinutes(0) - 1 })),
  identityExpiredTenMinutesAgo: claims(() => ({ iat: inMinutes(-70), exp: inMinutes(-10) })),
  clockFiveMinutesSlow: claims(() => ({ iat: inMinutes(-5), exp: inMinutes(55) })),
  clockFiveMinutesFast: claims(() => ({ iat: inMinutes(5), exp: inMinutes(65) })),
} satisfies Record<string, Partial<Behaviour>>

const html = { 'Content-Type': 'text/html' }
