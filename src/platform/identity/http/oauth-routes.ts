import express, {
  type ErrorRequestHandler,
  type Request,
  type RequestHandler,
  type Response,
  type Router,
} from 'express'
import type { OAuthError } from '../../../contract/identity/oauth.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { visitor } from '../../../kit/http/visitor.ts'
import type { RateLimit } from '../../../kit/rates/rate-limit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import {
  firstToolScope,
  type ToolResource,
  type ToolScope,
  toolResourceAt,
  toolScopes,
} from '../../shared/domain/function-resource.ts'
import { assertWithinLimit } from '../../shared/domain/limit.ts'
import { counted } from '../../shared/http/authenticate.ts'
import { retryAfter } from '../../shared/http/control-plane-errors.ts'
import { defaultScopesOf, knownScopes } from '../domain/client-scopes.ts'
import type { OAuthClients } from '../domain/ports.ts'
import { assertScopesKnown, OAuthRequestError, type Parameters, readParameters, texts } from './oauth-request.ts'

export type Interaction = {
  uid: string
  step: string
  clientId: string
  app: string
  isVouched: boolean
  publisher: string | undefined
  redirectTo: string
  accountId: string | undefined
  /** Whose tools are requested. Undefined for the platform. */
  target: ToolResource | undefined
  toolScopes: ToolScope[]
  personalScopes: string[]
  scopes: string[]
}

export type OAuthServer = {
  serve(req: Request, res: Response, url: string, parameters?: Record<string, string>): Promise<void>
  interaction(req: Request, res: Response): Promise<Interaction>
  signedIn(req: Request, res: Response, accountId: string): Promise<string>
  grant(req: Request, res: Response): Promise<string>
  allowed(req: Request, res: Response, grantId: string): Promise<string>
  refused(req: Request, res: Response): Promise<string>
}

type Needs = {
  server: Pick<OAuthServer, 'serve'>
  clients: Pick<OAuthClients, 'find'>
  limits: { requests: RateLimit; failures: RateLimit }
  gatewayUrl: string
}

const addresses = ['/oauth/*path', '/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

export function oauthRoutes(needs: Needs): Router {
  const known = [...knownScopes, ...toolScopes]
  const bodies = [express.json({ limit: '32kb' }), express.urlencoded({ extended: false, limit: '32kb' })]
  const serve: RequestHandler = async (req, res) => {
    if (req.method === 'POST' && !isForBearers(req))
      reshapeClientRefusal(res, /^Basic /i.test(req.get('Authorization') ?? ''))
    if (req.method !== 'POST') return needs.server.serve(req, res, discoveryAlias(await withScopeInQuery(needs, req)))
    const parameters = await withScope(needs, req, readParameters(req))
    assertScopesKnown(parameters.scope, known)
    await needs.server.serve(req, res, req.url, parameters)
  }
  return exactRouter()
    .get('/oauth/token', methodNotAllowed)
    .all(addresses, limitFailures(needs.limits), ...bodies, serve)
    .use('/oauth', complain)
}

const openAddresses = new Set(['/oauth/token', '/oauth/register', '/oauth/revoke', '/oauth/jwks'])

/** Any origin, because no cookie is used. The server leaves responses that already have the header. */
export const crossOrigin: RequestHandler = (req, res, next) => {
  if (!openAddresses.has(req.path) && !req.path.startsWith('/.well-known/o')) return next()
  res.set({ 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': 'WWW-Authenticate, Retry-After' })
  if (req.method !== 'OPTIONS') return next()
  const headers = {
    'Access-Control-Allow-Methods': 'GET, POST',
    'Access-Control-Allow-Headers': 'Authorization, Content-Type, MCP-Protocol-Version',
  }
  res
    .set({ ...headers, 'Access-Control-Max-Age': '600' })
    .status(204)
    .end()
}

const methodNotAllowed: RequestHandler = (_req, res) => {
  const body: OAuthError = { error: 'invalid_request', error_description: 'send a POST' }
  res.status(405).set('Allow', 'POST').json(body)
}

/** Limits failed authentications, fetches of client documents and POST requests, before the body is read. */
const limitFailures =
  ({ requests, failures }: Needs['limits']): RequestHandler =>
  (req, res, next) => {
    const from = visitor(req.ip)
    // A client document is fetched from a URL that the caller chooses.
    if (namesDocument(req)) assertWithinLimit(requests.take(`documents:${from}`), requests, documentsCounted)
    if (req.method !== 'POST') return next()
    assertWithinLimit(failures.exceeded(from), failures, counted.failures)
    assertWithinLimit(requests.take(`oauth:${from}`), requests, 'requests from one address')
    res.once('finish', () => (res.statusCode === 401 || res.locals.clientRefused) && failures.take(from))
    next()
  }

const documentsCounted = 'requests with a client metadata document from one address'

const namesDocument = ({ query }: Request): boolean =>
  [query.client_id].flat().some((id) => typeof id === 'string' && /^https?:/i.test(id))

const isForBearers = (req: Request) => req.path === '/oauth/userinfo'

/** RFC 6749 §5.2: a client that used a header gets 401 with the scheme. Credentials in the body get 400. */
function reshapeClientRefusal(res: Response, byHeader: boolean): void {
  const writeHead = res.writeHead.bind(res) as (...args: unknown[]) => Response
  res.writeHead = ((...args: unknown[]) => {
    if (args[0] !== 401) return writeHead(...args)
    res.locals.clientRefused = true
    if (!byHeader) return writeHead(400, 'Bad Request')
    res.setHeader('WWW-Authenticate', 'Basic realm="oauth"')
    return writeHead(...args)
  }) as typeof res.writeHead
}

/** RFC 8414 uses another path for the same document. */
const discoveryAlias = (url: string) =>
  url.replace(/^\/\.well-known\/oauth-authorization-server/, '/.well-known/openid-configuration')

async function withScope({ clients, gatewayUrl }: Needs, req: Request, given: Parameters): Promise<Parameters> {
  const asks =
    (req.path === '/oauth/token' && given.grant_type === 'client_credentials') ||
    req.path === '/oauth/device/code' ||
    req.path === '/oauth/authorize'
  if (!asks || given.scope !== undefined || !given.client_id) return given
  if (toolResourceAt(gatewayUrl, given.resource ?? '')) return { ...given, scope: firstToolScope }
  const client = await clients.find(given.client_id)
  return client ? { ...given, scope: defaultScopesOf(client).join(' ') } : given
}

async function withScopeInQuery(needs: Needs, req: Request): Promise<string> {
  const url = new URL(req.url, 'http://local')
  if (url.searchParams.getAll('resource').length > 1)
    throw new OAuthRequestError('invalid_target', "'resource' must not be repeated")
  const given = texts(Object.fromEntries(url.searchParams))
  const { scope } = await withScope(needs, req, given)
  if (scope === undefined || given.scope !== undefined) return req.url
  url.searchParams.set('scope', scope)
  return `${url.pathname}${url.search}`
}

const complain: ErrorRequestHandler = (error, _req, res, next) => {
  if (error instanceof Failure && error.code === 'too_many_requests') return slowDown(res, error)
  const complaint = error instanceof OAuthRequestError ? error : unreadable(error)
  if (res.headersSent || !complaint) return next(error)
  const body: OAuthError = { error: complaint.error, error_description: complaint.description }
  res.status(400).json(body)
}

function slowDown(res: Response, failure: Failure): void {
  retryAfter(res, failure)
  const body: OAuthError = { error: 'temporarily_unavailable', error_description: failure.detail }
  res.status(429).json(body)
}

function unreadable({ status = 500 }: { status?: number }): OAuthRequestError | undefined {
  return status >= 400 && status < 500 ? new OAuthRequestError('invalid_request', 'the body is not valid') : undefined
}
