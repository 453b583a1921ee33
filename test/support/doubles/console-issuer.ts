// The OpenID provider of the support console. The test chooses the person who signs in.
import { createHash, randomBytes } from 'node:crypto'
import express from 'express'
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { listen } from '../../../src/kit/http/http-server.ts'

export type Person = { sub: string; email: string; roles: string[] }

export const people = {
  viewer: { sub: 'person-1', email: 'viewer@support.example', roles: ['causeway-viewer'] },
  agent: { sub: 'person-2', email: 'agent@support.example', roles: ['causeway-agent'] },
  admin: { sub: 'person-3', email: 'admin@support.example', roles: ['causeway-admin', 'causeway-viewer'] },
  stranger: { sub: 'person-4', email: 'stranger@support.example', roles: ['accounting'] },
} satisfies Record<string, Person>

type Grant = { person: Person; challenge: string; nonce: string; redirectUri: string; authenticatedAt: number }

export type ConsoleIssuerDouble = Awaited<ReturnType<typeof startConsoleIssuer>>

export const consoleClient = { id: 'console', secret: `CANARY-CLIENT-SECRET-${randomBytes(8).toString('hex')}` }

export async function startConsoleIssuer() {
  const { publicKey, privateKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'key-1', alg: 'ES256', use: 'sig' }
  const codes = new Map<string, Grant>()
  const refreshTokens = new Map<string, Grant>()
  const double = {
    url: '',
    /** The person at the browser. Undefined presses Cancel. */
    person: people.agent as Person | undefined,
    /** Age of `auth_time`, unless the request asks for a new sign-in. */
    provedSecondsAgo: 0,
    /** Ignores requests for a new sign-in. */
    lazy: false,
    /** Changes to the ID token. */
    claims: {} as JWTPayload,
    refreshesWithoutIdentity: false,
    deleted: new Set<string>(),
    authorizations: [] as Array<Record<string, string>>,
    tokenRequests: [] as Array<Record<string, string>>,
  }
  const answer = async (grant: Grant) => {
    const refreshToken = `CANARY-RT-${randomBytes(12).toString('hex')}`
    refreshTokens.set(refreshToken, grant)
    const { sub, ...claims } = grant.person
    const idToken = await new SignJWT({
      ...claims,
      nonce: grant.nonce,
      auth_time: grant.authenticatedAt,
      ...double.claims,
    })
      .setProtectedHeader({ alg: 'ES256', kid: 'key-1' })
      .setIssuer(double.url)
      .setSubject(sub)
      .setAudience(consoleClient.id)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(privateKey)
    const token = `CANARY-AT-${randomBytes(12).toString('hex')}`
    return {
      access_token: token,
      token_type: 'Bearer',
      expires_in: 300,
      id_token: idToken,
      refresh_token: refreshToken,
    }
  }
  const grantFor = ({ grant_type, code = '', code_verifier = '', refresh_token = '' }: Record<string, string>) => {
    const [store, key] = grant_type === 'refresh_token' ? [refreshTokens, refresh_token] : [codes, code]
    const grant = store.get(key)
    store.delete(key)
    const challenge = createHash('sha256').update(code_verifier).digest('base64url')
    const sound = grant && (grant_type === 'refresh_token' || grant.challenge === challenge)
    return sound && !double.deleted.has(grant.person.sub) ? grant : undefined
  }

  const app = express()
  app.get('/.well-known/openid-configuration', (_req, res) => void res.json(metadataOf(double.url)))
  app.get('/jwks', (_req, res) => void res.json({ keys: [jwk] }))
  app.get('/authorize', (req, res) => {
    const query = req.query as Record<string, string>
    double.authorizations.push(query)
    const back = new URL(query.redirect_uri ?? '')
    back.searchParams.set('state', query.state ?? '')
    back.searchParams.set('iss', double.url)
    if (double.person) back.searchParams.set('code', issueCode(codes, query, double))
    else back.searchParams.set('error', 'access_denied')
    res.redirect(303, back.href)
  })
  app.post('/token', express.urlencoded(), async (req, res) => {
    double.tokenRequests.push(req.body)
    const grant = req.body.client_secret === consoleClient.secret ? grantFor(req.body) : undefined
    if (!grant) return void res.status(400).json({ error: 'invalid_grant' })
    const { id_token, ...rest } = await answer(grant)
    const isBare = double.refreshesWithoutIdentity && req.body.grant_type === 'refresh_token'
    res.json(isBare ? rest : { id_token, ...rest })
  })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  double.url = `http://127.0.0.1:${server.port}`
  return Object.assign(double, { close: () => server.close(0) })
}

function issueCode(
  codes: Map<string, Grant>,
  query: Record<string, string>,
  { person, provedSecondsAgo, lazy }: { person: Person | undefined; provedSecondsAgo: number; lazy: boolean },
): string {
  const code = `CANARY-CODE-${randomBytes(12).toString('hex')}`
  const age = query.prompt === 'login' && !lazy ? 0 : provedSecondsAgo
  codes.set(code, {
    person: person as Person,
    challenge: query.code_challenge ?? '',
    nonce: query.nonce ?? '',
    redirectUri: query.redirect_uri ?? '',
    authenticatedAt: Math.floor(Date.now() / 1_000) - age,
  })
  return code
}

const metadataOf = (url: string) => ({
  issuer: url,
  authorization_endpoint: `${url}/authorize`,
  token_endpoint: `${url}/token`,
  jwks_uri: `${url}/jwks`,
  code_challenge_methods_supported: ['S256'],
  id_token_signing_alg_values_supported: ['ES256'],
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  authorization_response_iss_parameter_supported: true,
})
