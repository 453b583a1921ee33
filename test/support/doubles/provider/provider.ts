// An OAuth and OpenID provider for tests. Honest by default; misbehaves by functions that change single responses, which
// the switches of src/demo/misbehave can't express. Records all requests and issued tokens.
import { createHash, randomBytes } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { type JWTPayload, SignJWT } from 'jose'
import { listen } from '../../../../src/kit/http/http-server.ts'
import { borrowKeys } from './signing-keys.ts'

export type TokenAnswer = { status?: number; headers?: Record<string, string>; body: unknown }

/** Gets the honest response and returns another one, or acts on `res` and returns undefined. */
export type TokenSwitch = (honest: Honest, res: Response) => TokenAnswer | Promise<TokenAnswer> | undefined
export type Honest = { body: Record<string, unknown>; claims: JWTPayload; sign: Signer; issuer: string }
type Signer = (claims: JWTPayload, header?: Record<string, unknown>) => Promise<string>

export type Behaviour = {
  /** Members of the callback to set; undefined removes a member. */
  callback: Record<string, string | undefined>
  token: TokenSwitch | undefined
  metadata: Record<string, unknown>
  userinfo: ((res: Response) => void) | undefined
  authorize: ((query: Record<string, string>, res: Response) => void) | undefined
  checksPkce: boolean
  /** The only accepted client authentication (RFC 6749 §2.3.1). */
  clientAuthentication: 'client_secret_post' | 'client_secret_basic' | 'none'
  subject: string
  email: string
  /** As at Google: no refresh token after the first consent unless the request forces consent. */
  refreshTokenOnFirstConsentOnly: boolean
  rotates: boolean
  /** Revoking a token or reusing a spent one ends all grants of the account. */
  revokesWholeGrant: boolean
  /** Undefined selects the honest response. */
  refresh: ((req: Request, res: Response) => TokenAnswer | undefined | Promise<undefined>) | undefined
  refusesRevocation: boolean
}

const honestBehaviour = (): Behaviour => ({
  callback: {},
  token: undefined,
  metadata: {},
  userinfo: undefined,
  authorize: undefined,
  checksPkce: true,
  clientAuthentication: 'client_secret_post',
  subject: 'account-1',
  email: 'first@provider.example',
  refreshTokenOnFirstConsentOnly: false,
  rotates: false,
  revokesWholeGrant: false,
  refresh: undefined,
  refusesRevocation: false,
})

type Grant = {
  client: string
  challenge: string
  nonce: string | undefined
  redirectUri: string
  scope: string
  offline: boolean
}

export type IssuedToken = {
  token: string
  code: string
  client: string
  subject: string
  revoked: boolean
  spent?: boolean
}

export type ProviderDouble = Awaited<ReturnType<typeof startProvider>>

export const providerClient = { id: 'client-1', secret: `CANARY-CLIENT-SECRET-${randomBytes(8).toString('hex')}` }

export async function startProvider() {
  const { privateKey, jwk, returnKeys } = await borrowKeys()
  const grants = new Map<string, Grant>()
  const consented = new Set<string>()
  const seen = {
    authorizations: [] as Array<Record<string, string>>,
    tokenRequests: [] as Array<Record<string, string>>,
    revocations: [] as string[],
    /** Requests for metadata and keys, which clients may cache. */
    documents: [] as string[],
    other: [] as string[],
  }
  const issued: IssuedToken[] = []
  /** Secrets by client ID. */
  const clients = new Map([[providerClient.id, providerClient.secret]])
  /** Refresh tokens by access token. Both end together. */
  const access = new Map<string, IssuedToken>()
  const headerNames = new Set<string>()
  const double = { seen, headerNames, issued, access, clients, behaviour: honestBehaviour(), url: '', privateKey, jwk }

  const app = express()
  app.use((req, _res, next) => {
    for (const name of Object.keys(req.headers)) headerNames.add(name)
    next()
  })
  app.get('/.well-known/openid-configuration', (req, res) => {
    seen.documents.push(req.path)
    res.json({ ...metadataOf(double.url), ...double.behaviour.metadata })
  })
  app.get('/jwks', (req, res) => {
    seen.documents.push(req.path)
    res.json({ keys: [jwk] })
  })

  app.get('/authorize', (req, res) => {
    const query = req.query as Record<string, string>
    seen.authorizations.push(query)
    if (double.behaviour.authorize) return double.behaviour.authorize(query, res)
    const code = `CANARY-CODE-${randomBytes(12).toString('hex')}`
    const first = !consented.has(double.behaviour.subject) || query.prompt === 'consent'
    consented.add(double.behaviour.subject)
    grants.set(code, {
      client: query.client_id ?? '',
      challenge: query.code_challenge ?? '',
      nonce: query.nonce,
      redirectUri: query.redirect_uri ?? '',
      scope: query.scope ?? '',
      offline: query.access_type === 'offline' && (first || !double.behaviour.refreshTokenOnFirstConsentOnly),
    })
    const answer = { code, state: query.state, iss: double.url, ...double.behaviour.callback }
    const target = new URL(query.redirect_uri ?? '')
    for (const [name, value] of Object.entries(answer)) if (value !== undefined) target.searchParams.set(name, value)
    res.redirect(303, target.href)
  })

  app.post('/token', express.urlencoded(), async (req, res) => {
    seen.tokenRequests.push(req.body)
    if (req.body.grant_type === 'refresh_token') {
      const told = await double.behaviour.refresh?.(req, res)
      if (double.behaviour.refresh && (told || res.destroyed)) return answer(res, told)
      return void refresh(req, res, double)
    }
    const refusal = exchangeFailure(req, grants, clients, double.behaviour)
    if (refusal) return void res.status(refusal === 'invalid_client' ? 401 : 400).json({ error: refusal })
    const grant = grants.get(req.body.code) as Grant
    grants.delete(req.body.code)
    const honest = await honestAnswer(double, grant, req.body.code)
    await answer(res, double.behaviour.token ? await double.behaviour.token(honest, res) : { body: honest.body })
  })

  app.post('/revoke', express.urlencoded(), (req, res) => {
    seen.revocations.push(req.body.token)
    if (double.behaviour.refusesRevocation) return void res.status(503).end()
    revoke(double, req.body.token)
    res.status(200).end()
  })
  app.get('/api/files', (req, res) => {
    const from = access.get((req.get('Authorization') ?? '').replace('Bearer ', ''))
    if (!from || from.revoked) return void res.status(401).json({ error: 'token' })
    res.json({ files: ['plan.txt'] })
  })
  app.get('/userinfo', (_req, res) => {
    const { userinfo, subject, email } = double.behaviour
    if (userinfo) return userinfo(res)
    res.json({ sub: subject, email })
  })
  app.use((req, res) => {
    seen.other.push(`${req.method} ${req.path}`)
    res.status(404).end()
  })

  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  double.url = `http://127.0.0.1:${server.port}`
  return Object.assign(double, {
    port: server.port,
    host: `127.0.0.1:${server.port}`,
    misbehave(switches: Partial<Behaviour>) {
      Object.assign(double.behaviour, switches)
    },
    /** Resets behaviour and recorded requests. Issued tokens stay valid. */
    calm() {
      double.behaviour = honestBehaviour()
      consented.clear()
      for (const list of Object.values(seen)) list.length = 0
    },
    close() {
      returnKeys()
      return server.close(0)
    },
  })
}

const metadataOf = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  userinfo_endpoint: `${url}/userinfo`,
  revocation_endpoint: `${url}/revoke`,
  jwks_uri: `${url}/jwks`,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  id_token_signing_alg_values_supported: ['RS256'],
})

function exchangeFailure(
  req: Request,
  grants: Map<string, Grant>,
  clients: Map<string, string>,
  behaviour: Behaviour,
): string | undefined {
  const { body } = req
  const client = knownClient(req, clients, behaviour)
  if (client === undefined) return 'invalid_client'
  const grant = grants.get(body.code)
  if (!grant || grant.client !== client || grant.redirectUri !== body.redirect_uri) return 'invalid_grant'
  const challenge = createHash('sha256')
    .update(body.code_verifier ?? '')
    .digest('base64url')
  return behaviour.checksPkce && challenge !== grant.challenge ? 'invalid_grant' : undefined
}

/** Returns the ID of an authenticated client. */
function knownClient(req: Request, clients: Map<string, string>, { clientAuthentication }: Behaviour) {
  const header = /^Basic (.+)$/.exec(req.get('Authorization') ?? '')?.[1]
  if ((header !== undefined) !== (clientAuthentication === 'client_secret_basic')) return undefined
  const [id = '', secret] = header ? basicPair(header) : [req.body.client_id, req.body.client_secret]
  if (clientAuthentication === 'none') return clients.has(id) && secret === undefined ? id : undefined
  return clients.has(id) && clients.get(id) === secret ? id : undefined
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
const basicPair = (header: string): string[] =>
  Buffer.from(header, 'base64')
    .toString()
    .split(':')
    .map((part) => decodeURIComponent(part.replaceAll('+', ' ')))

/** A refresh token is bound to its client (RFC 6749 §10.4). */
function refresh(req: Request, res: Response, double: Double & { clients: Map<string, string> }) {
  const { clients, issued, behaviour } = double
  const asking = knownClient(req, clients, behaviour)
  if (asking === undefined) return res.status(401).json({ error: 'invalid_client' })
  const known = issued.find(({ token, client }) => token === req.body.refresh_token && client === asking)
  if (known?.spent && behaviour.revokesWholeGrant) revoke(double, known.token)
  if (!known || known.revoked || known.spent) return res.status(400).json({ error: 'invalid_grant' })
  const next = behaviour.rotates ? { ...known, token: `CANARY-RT-${randomBytes(16).toString('hex')}` } : undefined
  if (next) {
    known.spent = true
    issued.push(next)
  }
  const accessToken = `CANARY-AT-${randomBytes(16).toString('hex')}`
  double.access.set(accessToken, next ?? known)
  return res.json({ access_token: accessToken, token_type: 'Bearer', ...(next && { refresh_token: next.token }) })
}

function revoke({ issued, behaviour }: Pick<Double, 'issued' | 'behaviour'>, token: string) {
  const one = issued.find((each) => each.token === token)
  for (const each of issued) {
    if (each === one || (behaviour.revokesWholeGrant && one && each.subject === one.subject)) each.revoked = true
  }
}

type Double = {
  url: string
  access: Map<string, IssuedToken>
  issued: IssuedToken[]
  behaviour: Behaviour
  privateKey: Parameters<SignJWT['sign']>[0]
}

async function honestAnswer(double: Double, grant: Grant, code: string): Promise<Honest> {
  const sign: Signer = (claims, header = {}) =>
    new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'key-1', ...header }).sign(double.privateKey)
  const { subject, email } = double.behaviour
  const now = Math.floor(Date.now() / 1_000)
  const about = { iss: double.url, aud: grant.client, sub: subject, email, iat: now, exp: now + 3_600 }
  const claims = { ...about, ...(grant.nonce && { nonce: grant.nonce }) }
  const token = `CANARY-RT-${randomBytes(16).toString('hex')}`
  if (grant.offline) double.issued.push({ token, code, client: grant.client, subject, revoked: false })
  const body = {
    access_token: `CANARY-AT-${randomBytes(16).toString('hex')}`,
    token_type: 'Bearer',
    expires_in: 3_600,
    scope: grant.scope,
    ...(grant.offline && { refresh_token: token }),
    ...(grant.scope.split(' ').includes('openid') && { id_token: await sign(claims) }),
  }
  return { body, claims, sign, issuer: double.url }
}

async function answer(res: Response, given: TokenAnswer | undefined): Promise<void> {
  if (!given) return // the behaviour handles the response
  res.status(given.status ?? 200).set(given.headers ?? {})
  if (typeof given.body === 'string') res.type(res.get('content-type') ?? 'application/json').send(given.body)
  else res.json(given.body)
}
