// One switch per misbehaviour. Each is a part of a Behaviour, for provider.misbehave(); calm() undoes them all.
import { createHmac } from 'node:crypto'
import type { Response } from 'express'
import type { JWTPayload } from 'jose'
import { type Behaviour, type Honest, providerClient, type TokenAnswer } from './provider.ts'

/** The honest token answer with other members; undefined removes one. */
const members = (change: (body: Record<string, unknown>) => Record<string, unknown>): Partial<Behaviour> => ({
  token: ({ body }) => ({ body: { ...body, ...change(body) } }),
})

/** The honest token answer, whole, in another shape. */
const answers = (make: (honest: Honest) => TokenAnswer): Partial<Behaviour> => ({ token: make })

/** The honest answer with an identity token that claims or is signed otherwise. */
const identity = (make: (honest: Honest) => Promise<string> | string): Partial<Behaviour> => ({
  token: async (honest) => ({ body: { ...honest.body, id_token: await make(honest) } }),
})
const claims = (change: (honest: Honest) => JWTPayload) =>
  identity((honest) => honest.sign({ ...honest.claims, ...change(honest) }))

/** Does as it likes with the connection instead of answering. */
const socket = (act: (res: Response, honest: Honest) => void): Partial<Behaviour> => ({
  token: (honest, res) => {
    act(res, honest)
    return undefined
  },
})

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
const inMinutes = (minutes: number) => Math.floor(Date.now() / 1_000) + minutes * 60

/** Mix-up: sends the browser on to another provider's authorization page, in that provider's client's name. */
export const sendsOnTo = (other: { url: string }, redirectUri: string): Partial<Behaviour> => ({
  authorize(query, res) {
    const onward = new URLSearchParams({ ...query, client_id: providerClient.id, redirect_uri: redirectUri })
    res.redirect(303, `${other.url}/authorize?${onward}`)
  },
})

/** Takes requests and answers none, until the test does something with those it holds. */
export const holds = (held: Response[]): Partial<Behaviour> => socket((res) => void held.push(res))

export const misbehaviours = {
  // ---- At the authorization endpoint and in metadata ----

  /** Takes any code_verifier, or none. */
  ignoresPkce: { checksPkce: false },
  /** Says that it knows plain challenges only. */
  onlyPlainChallenges: { metadata: { code_challenge_methods_supported: ['plain'] } },
  /** Does not say which challenges it knows. */
  hidesChallengeMethods: { metadata: { code_challenge_methods_supported: undefined } },
  /** Does not promise to name itself in callbacks (RFC 9207), and does not. */
  neverNamesItself: {
    metadata: { authorization_response_iss_parameter_supported: undefined },
    callback: { iss: undefined },
  },
  /** Does not promise to name itself in callbacks, and does. */
  namesItselfUnasked: { metadata: { authorization_response_iss_parameter_supported: undefined } },

  // ---- Habits of well-known providers ----

  /** `ok` says whether it went well, tokens have a type of their own, and scopes are set apart by commas. */
  likeSlack: answers(({ body: { id_token: _, ...body } }) => ({
    body: { ok: true, ...body, token_type: 'bot', team: { id: 'T024BE7LD', name: 'Acme Team' } },
  })),
  refusesLikeSlack: answers(() => ({ body: { ok: false, error: 'invalid_code' } })),
  /** Scopes are not listed, and the account is known by number at an address of its own. */
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

  /** Grants access for now only, as to a user who agreed before. */
  noRefreshToken: members(() => ({ refresh_token: undefined })),
  emptyRefreshToken: members(() => ({ refresh_token: '' })),
  numericRefreshToken: members(() => ({ refresh_token: 12345 })),
  nullRefreshToken: members(() => ({ refresh_token: null })),
  refreshTokenWithSpaces: members(({ refresh_token }) => ({ refresh_token: `${refresh_token} and more` })),
  refreshTokenWithNewline: members(({ refresh_token }) => ({ refresh_token: `${refresh_token}\n` })),
  refreshTokenOfEightKilobytes: members(({ refresh_token }) => ({
    refresh_token: `${refresh_token}`.padEnd(8_192, 'x'),
  })),
  /** The user unticked a box. */
  narrowerScope: members(() => ({ scope: 'openid email' })),
  widerScope: members(({ scope }) => ({ scope: `${scope} files.delete` })),
  noScope: members(() => ({ scope: undefined })),
  reorderedScope: members(({ scope }) => ({ scope: String(scope).split(' ').reverse().join(' ') })),
  scopeWithZeroByte: members(({ scope }) => ({ scope: `${scope} files\u0000` })),
  scopeWithHalfACharacter: members(({ scope }) => ({ scope: `${scope} files\ud800` })),
  commaSeparatedScope: members(({ scope }) => ({ scope: String(scope).replaceAll(' ', ',') })),

  // ---- Error answers of the token endpoint ----

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
  /** A failure that calls itself a success. */
  notOkWithStatus200: answers(() => ({ body: { ok: false } })),
  redirects: answers(() => ({ status: 307, headers: { Location: 'http://127.0.0.1:1/' }, body: '' })),

  // ---- Answers that are no JSON, or odd JSON ----

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

  /** Takes the request and says nothing. */
  hangs: socket(() => {}),
  sendsHeadersOnly: socket((res) => res.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders()),
  /** A byte every few milliseconds, for ever: each timer between bytes is happy. */
  drips: socket((res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' })
    const dripping = setInterval(() => res.write(' '), 20)
    res.on('close', () => clearInterval(dripping))
  }),
  /** Promises more than it sends. */
  closesHalfWay: socket((res, { body }) => {
    res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '9999' })
    res.write(JSON.stringify(body).slice(0, 60))
    setTimeout(() => res.destroy(), 20)
  }),
  resetsAfterHeaders: socket((res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' }).flushHeaders()
    setTimeout(() => res.socket?.resetAndDestroy(), 20)
  }),
  /** Sends without end, as fast as it is read. */
  floods: socket((res) => {
    res.writeHead(200, { 'Content-Type': 'application/json' })
    const flood = () => {
      while (!res.destroyed && res.write('x'.repeat(64 * 1024)));
    }
    res.on('drain', flood)
    flood()
  }),

  // ---- Identity tokens ----

  unsignedIdentity: identity(({ claims }) => `${base64url({ alg: 'none' })}.${base64url(claims)}.`),
  /** Signed with the client secret, which the client would know how to check. */
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
