// The authorization server of a vendor's MCP server. Strict about PKCE, redirect URIs and `resource`; misbehaves on
// demand. Consent is always given.
import { createHash, randomBytes } from 'node:crypto'
import express, { type Request, type Response } from 'express'

export type AuthorizationServerSwitches = {
  /** How clients are registered. `static`: only in advance. */
  clients: 'document' | 'registration' | 'static'
  /** A refresh returns a new refresh token. Using the old one ends the grant. */
  rotates?: boolean
  namesIssuer?: boolean
  authMethods?: string[]
  scopes?: string[]
  /** As Microsoft Entra ID v2.0: rejects any `resource` that is not the prefix of the scopes. */
  rejectsResource?: boolean
  /** As Amazon Cognito: supports PKCE and does not say so. */
  hidesPkce?: boolean
  /** Maps the public address of a client's document to an address that tests can reach. */
  reach?(url: string): string
}

type Client = { id: string; secret?: string; redirectUris: string[] }
type Grant = { client: string; scope: string; resource: string | undefined; isRevoked: boolean }
type Code = { grant: Grant; challenge: string; redirectUri: string }
type SeenForm = { path: string; form: Record<string, string> }

const fresh = () => randomBytes(16).toString('base64url')

export const staticClient: Client & { secret: string } = {
  id: 'static-client',
  secret: 'CANARY-STATIC-SECRET',
  redirectUris: [],
}

/** `resource`: the only resource that tokens can be requested for. */
export function authorizationServer(
  issuer: () => string,
  resource: () => string,
  switches: AuthorizationServerSwitches,
) {
  const clients = new Map<string, Client>()
  const codes = new Map<string, Code>()
  const refreshTokens = new Map<string, Grant>()
  const accessTokens = new Map<string, Grant>()
  const state = { registrations: 0, unknownCodes: 0, seen: [] as SeenForm[], switches }
  let tokensLeft = Number.POSITIVE_INFINITY
  if (switches.clients === 'static') clients.set(staticClient.id, staticClient)

  const knownClient = async (id: string): Promise<Client | undefined> => {
    if (switches.clients !== 'document') return clients.get(id)
    const document = await readDocument(switches.reach?.(id) ?? id)
    return document?.client_id === id ? { id, redirectUris: document.redirect_uris } : undefined
  }

  /** RFC 6749 §4.1.2.1: don't redirect to an address that isn't the client's. */
  const isOwnAddress = (client: Client, redirectUri: string) =>
    client === staticClient || client.redirectUris.includes(redirectUri)

  const authorize = async (req: Request, res: Response) => {
    const query = req.query as Record<string, string>
    state.seen.push({ path: '/authorize', form: query })
    const { client_id: id = '', redirect_uri: redirectUri = '', state: returned = '' } = query
    const client = await knownClient(id)
    if (!client || !isOwnAddress(client, redirectUri)) return void res.status(400).send('unknown client')
    const back = new URL(redirectUri)
    back.searchParams.set('state', returned)
    if (switches.namesIssuer) back.searchParams.set('iss', issuer())
    const error = authorizationError(query, switches.rejectsResource ? undefined : resource())
    back.searchParams.set(error ? 'error' : 'code', error ?? newCode(client, query))
    res.redirect(303, back.href)
  }

  const newCode = (client: Client, query: Record<string, string>): string => {
    const { scope = '', code_challenge: challenge = '', redirect_uri: redirectUri = '' } = query
    const code = fresh()
    codes.set(code, {
      grant: {
        client: client.id,
        scope,
        resource: switches.rejectsResource ? undefined : resource(),
        isRevoked: false,
      },
      challenge,
      redirectUri,
    })
    return code
  }

  const authenticated = async (req: Request): Promise<Client | undefined> => {
    const [, basic] = /^Basic (.+)$/.exec(req.get('authorization') ?? '') ?? []
    const [id = req.body.client_id, secret = req.body.client_secret] = basic
      ? Buffer.from(basic, 'base64').toString().split(':').map(decodeURIComponent)
      : []
    const client = await knownClient(id ?? '')
    return client && client.secret === secret ? client : undefined
  }

  const issue = (grant: Grant) => {
    const [access, refresh] = [`CANARY-ACCESS-${fresh()}`, `CANARY-REFRESH-${fresh()}`]
    accessTokens.set(access, grant)
    refreshTokens.set(refresh, grant)
    return { access_token: access, refresh_token: refresh, token_type: 'Bearer', expires_in: 3_600, scope: grant.scope }
  }

  const refreshed = (client: Client, form: Record<string, string>) => {
    const { refresh_token: old = '' } = form
    const grant = refreshTokens.get(old)
    if (!grant || grant.isRevoked || grant.client !== client.id) return { error: 'invalid_grant' }
    if (form.resource !== grant.resource) return { error: 'invalid_target' }
    const { refresh_token: next, ...issued } = issue(grant)
    if (switches.rotates) {
      refreshTokens.set(old, { ...grant, isRevoked: true })
      return { ...issued, refresh_token: next }
    }
    refreshTokens.delete(next)
    return issued
  }

  const exchanged = (client: Client, form: Record<string, string>) => {
    const { code = '', code_verifier: verifier = '', redirect_uri: redirectUri } = form
    const found = codes.get(code)
    codes.delete(code)
    if (!found) state.unknownCodes++
    const isProven = createHash('sha256').update(verifier).digest('base64url') === found?.challenge
    const isOwn = found?.grant.client === client.id && found.redirectUri === redirectUri
    if (!found || !isProven || !isOwn) return { error: 'invalid_grant' }
    return form.resource === found.grant.resource ? issue(found.grant) : { error: 'invalid_target' }
  }

  const token = async (req: Request, res: Response) => {
    state.seen.push({ path: '/token', form: req.body })
    const client = await authenticated(req)
    if (!client) return void res.status(401).json({ error: 'invalid_client' })
    const answer = req.body.grant_type === 'refresh_token' ? refreshed(client, req.body) : exchanged(client, req.body)
    res.status('error' in answer ? 400 : 200).json(answer)
    if (!('error' in answer) && --tokensLeft <= 0) clients.clear()
  }

  const register = (req: Request, res: Response) => {
    const id = `registered-${++state.registrations}`
    const isPublic = req.body.token_endpoint_auth_method === 'none'
    const client = {
      id,
      ...(!isPublic && { secret: `CANARY-REGISTERED-${fresh()}` }),
      redirectUris: req.body.redirect_uris,
    }
    clients.set(id, client)
    const { secret } = client as Client
    res.status(201).json({ ...req.body, client_id: id, ...(secret && { client_secret: secret }) })
  }

  const revoke = async (req: Request, res: Response) => {
    const client = await authenticated(req)
    if (!client) return void res.status(401).json({ error: 'invalid_client' })
    const grant = refreshTokens.get(req.body.token) ?? accessTokens.get(req.body.token)
    if (grant) grant.isRevoked = true
    res.end()
  }

  const metadata = () => ({
    issuer: issuer(),
    authorization_endpoint: `${issuer()}/authorize`,
    token_endpoint: `${issuer()}/token`,
    revocation_endpoint: `${issuer()}/revoke`,
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    ...(!switches.hidesPkce && { code_challenge_methods_supported: ['S256'] }),
    token_endpoint_auth_methods_supported: switches.authMethods ?? ['client_secret_basic', 'none'],
    ...(switches.scopes && { scopes_supported: switches.scopes }),
    ...(switches.namesIssuer && { authorization_response_iss_parameter_supported: true }),
    ...(switches.clients === 'registration' && { registration_endpoint: `${issuer()}/register` }),
    ...(switches.clients === 'document' && { client_id_metadata_document_supported: true }),
  })

  const routes = express
    .Router()
    .get('/authorize', authorize)
    .post('/token', express.urlencoded(), token)
    .post('/revoke', express.urlencoded(), revoke)
  if (switches.clients === 'registration') routes.post('/register', express.json(), register)

  return {
    ...state,
    get registrations() {
      return state.registrations
    },
    get unknownCodes() {
      return state.unknownCodes
    },
    routes,
    metadata,
    isGood: (accessToken: string) => accessTokens.get(accessToken)?.isRevoked === false,
    hasScope: (accessToken: string, scope: string) =>
      accessTokens.get(accessToken)?.scope.split(' ').includes(scope) ?? false,
    forgetClients: () => clients.clear(),
    /** Forgets every client after that many more token responses. */
    forgetClientsAfter(tokens: number) {
      tokensLeft = tokens
    },
    revokeEverything() {
      for (const grant of refreshTokens.values()) grant.isRevoked = true
    },
    endAccessTokens: () => accessTokens.clear(),
    liveGrants: () => new Set([...refreshTokens.values()].filter(({ isRevoked }) => !isRevoked)).size,
  }
}

function authorizationError(query: Record<string, string>, resource: string | undefined): string | undefined {
  if (query.resource !== resource) return 'invalid_target'
  return query.code_challenge_method === 'S256' ? undefined : 'invalid_request'
}

async function readDocument(url: string) {
  const answer = await fetch(url).catch(() => undefined)
  return answer?.ok ? ((await answer.json()) as { client_id: string; redirect_uris: string[] }) : undefined
}
