// oidc-provider as the platform's OAuth server: what it may do, as configuration.
import { timingSafeEqual } from 'node:crypto'
import type { AccessToken, AdapterPayload, Configuration, KoaContextWithOIDC, ResourceServer } from 'oidc-provider'
import { allScopes } from '../../../contract/scopes.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { errors, Provider } from '../../../kit/http/oidc-provider.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { hashOf } from '../domain/api-key.ts'
import { knownScopes, scopesOf } from '../domain/client-scopes.ts'
import { ownPages } from '../domain/own-pages.ts'
import type { CodeProblem, DevicePages, OAuthClient, OAuthClients, Users } from '../domain/ports.ts'
import { accessTokenSeconds, type SigningKey, signingAlgorithm } from '../domain/signing-key.ts'
import { grantName, type OidcRecords } from './oidc-records.ts'

export type ServerNeeds = {
  issuer: string
  records: Pick<OidcRecords, 'adapter'>
  clients: Pick<OAuthClients, 'find'>
  users: Pick<Users, 'find'>
  cookieKeys: Secret<string[]>
  pages: DevicePages
  log: Log
}

const day = 24 * 60 * 60

export function authorizationServer(needs: ServerNeeds, keys: readonly SigningKey[]): Provider {
  const provider = new Provider(needs.issuer, configuration(needs, keys))
  // Host and scheme are set by the routes from the configured address, never by the caller.
  provider.proxy = true
  provider.on('server_error', (_ctx, error) =>
    needs.log.error('authorization server failed', { code: describeError(error) }),
  )
  // Secrets are stored as hashes; the server keeps the hash instead of the secret and compares hashes.
  provider.Client.prototype.compareClientSecret = function (this: { clientSecret?: string }, given: string) {
    const expected = Buffer.from(this.clientSecret ?? '', 'base64url')
    const actual = hashOf(given)
    return expected.length === actual.length && timingSafeEqual(expected, actual)
  } as never
  leaveUnstoredSessions(provider)
  provider.use(nameTheParameter)
  return provider
}

const refusedParameters: Record<string, string> = {
  authorization_code: 'code',
  refresh_token: 'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code': 'device_code',
}

/** The server says only that a grant or a client is wrong; a developer needs to know which parameter. */
async function nameTheParameter(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  const refusal = ctx.body as { error?: string; error_description?: string } | undefined
  const grant = refusedParameters[String(ctx.oidc?.params?.grant_type)]
  if (refusal?.error === 'invalid_client') refusal.error_description = 'client_id or client_secret is wrong'
  if (refusal?.error === 'invalid_grant' && grant) {
    refusal.error_description = `${grant} is wrong, used, expired, or of another client or address`
  }
}

/**
 * A page of the device flow that tells of an error writes into its session when it is too late to store it, and the
 * server's attempt to store it once more would fail: a browser that comes without a session stays without one.
 */
function leaveUnstoredSessions({ Session }: Provider): void {
  const { persist } = Session.prototype
  Session.prototype.persist = async function (this: { exp?: number }) {
    return typeof this.exp === 'number' ? persist.call(this as never) : ''
  } as never
}

function configuration(needs: ServerNeeds, keys: readonly SigningKey[]): Configuration {
  return {
    adapter: (model: string) => (model === 'Client' ? clientAdapter(needs) : needs.records.adapter(model)),
    jwks: { keys: keys.map(({ jwk }) => jwk.reveal() as never) },
    scopes: [...knownScopes],
    claims: { openid: ['sub', 'email', 'roles'] },
    responseTypes: ['code', 'none'],
    loadExistingGrant,
    // The routes turn a Basic header into parameters; the server itself only ever meets those.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm },
    enabledJWA: { idTokenSigningAlgValues: [signingAlgorithm] },
    pkce: { required: () => true },
    clientBasedCORS: () => false,
    features: features(needs),
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      jwks: '/oauth/jwks',
      revocation: '/oauth/revoke',
      userinfo: '/oauth/userinfo',
      device_authorization: '/oauth/device/code',
      code_verification: '/oauth/device',
    },
    interactions: { url: (_ctx, { uid }) => `/oauth/interaction/${uid}` },
    cookies: {
      keys: needs.cookieKeys.reveal(),
      names: { session: 'platform_session', interaction: 'platform_interaction', resume: 'platform_resume' },
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    extraTokenClaims: async (_ctx, token) =>
      token.kind === 'ClientCredentials'
        ? { kind: 'service_account' }
        : { kind: 'user', grant: grantName((token as AccessToken).grantId ?? '') },
    findAccount: async (_ctx, id) => {
      const user = await needs.users.find(id)
      return user && { accountId: id, claims: async () => ({ sub: id, email: user.email, roles: user.roles }) }
    },
    renderError: async (ctx, { error, error_description }) => {
      ctx.type = 'html'
      ctx.body = await needs.pages.error(error, String(error_description ?? ''))
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      ClientCredentials: accessTokenSeconds,
      AuthorizationCode: 60,
      DeviceCode: 600,
      IdToken: 3_600,
      Interaction: 3_600,
      RefreshToken: 30 * day,
      Session: (_ctx, { loginTs }) => sessionSeconds(loginTs, Date.now() / 1000),
      Grant: 365 * day,
    },
  }
}

/** Each visit to the server begins the idle time anew. Two weeks after the sign-in it is over all the same. */
export function sessionSeconds(signedInAt: number | undefined, now: number): number {
  const left = signedInAt === undefined ? day : signedInAt + 14 * day - now
  return Math.max(1, Math.floor(Math.min(day, left)))
}

function features({ issuer, pages }: ServerNeeds): Configuration['features'] {
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    // Nobody asked for them, and what is not served must not be advertised.
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => issuer,
      useGrantedResource: () => true,
      getResourceServerInfo: (_ctx, resource) => resourceServer(issuer, resource),
    },
    deviceFlow: {
      enabled: true,
      userCodeInputSource: async (ctx, form, _out, error) => {
        const said = error?.name ?? ''
        ctx.body = await (said === 'AbortedError' ? pages.deviceRefused() : pages.enterCode(form, codeProblems[said]))
      },
      userCodeConfirmSource: async (ctx, form, client, _device, code) => {
        ctx.body = await pages.confirmCode(form, code, client.clientName ?? client.clientId)
      },
      successSource: async (ctx: KoaContextWithOIDC) => {
        ctx.body = await pages.deviceReady()
      },
    },
  }
}

/** What a person agreed to before. Nobody is asked whether the platform may know who they are on the platform. */
async function loadExistingGrant({ oidc }: KoaContextWithOIDC) {
  const { client, session, provider } = oidc
  const clientId = client?.clientId ?? ''
  const known = oidc.result?.consent?.grantId ?? session?.grantIdFor(clientId)
  const grant = known === undefined ? undefined : await provider.Grant.find(known)
  if (grant || clientId !== ownPages.clientId) return grant
  const own = new provider.Grant({ accountId: session?.accountId ?? '', clientId })
  own.addOIDCScope('openid')
  await own.save()
  return own
}

/** The only audience of tokens is this platform. */
function resourceServer(issuer: string, resource: string): ResourceServer {
  if (resource !== issuer) throw new errors.InvalidTarget()
  return {
    scope: allScopes.join(' '),
    audience: issuer,
    accessTokenTTL: accessTokenSeconds,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: signingAlgorithm } },
  }
}

/** Clients are our own records: the server only reads them. */
function clientAdapter({ clients, issuer }: Pick<ServerNeeds, 'clients' | 'issuer'>) {
  const readOnly = async () => {
    throw new Error('clients are not written by the authorization server')
  }
  return {
    find: async (id: string) => {
      if (id === ownPages.clientId) return ownPagesClient(issuer)
      const client = await clients.find(id)
      return client && (toMetadata(client) as AdapterPayload)
    },
    upsert: readOnly,
    destroy: readOnly,
    consume: readOnly,
    revokeByGrantId: readOnly,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  }
}

/** By the names that the server has for them. */
const codeProblems: Record<string, CodeProblem> = {
  NotFoundError: 'unknown',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
}

const ownPagesClient = (issuer: string): AdapterPayload => ({
  client_id: ownPages.clientId,
  client_name: ownPages.name,
  scope: 'openid',
  token_endpoint_auth_method: 'none',
  redirect_uris: [new URL(ownPages.returnPath, issuer).href],
  response_types: ['none'],
  grant_types: [],
  application_type: 'native', // on one machine our own address is a loopback one without TLS
})

function toMetadata(client: OAuthClient) {
  const { clientId, name, secretHash, redirectUris, serviceAccount } = client
  return {
    client_id: clientId,
    client_name: name,
    scope: scopesOf(client).join(' '),
    ...(secretHash && { client_secret: secretHash.toString('base64url') }),
    token_endpoint_auth_method: secretHash ? 'client_secret_post' : 'none',
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    // Apps for command lines have loopback addresses with any port (RFC 8252, section 7.3).
    application_type: secretHash ? 'web' : 'native',
    grant_types: serviceAccount
      ? ['client_credentials']
      : [
          ...(redirectUris.length > 0 ? ['authorization_code'] : []),
          'refresh_token',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
  }
}
