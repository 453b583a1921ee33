// oidc-provider as the platform's OAuth server: what it may do, as configuration.
import { timingSafeEqual } from 'node:crypto'
import type { AccessToken, Configuration, KoaContextWithOIDC } from 'oidc-provider'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { Provider } from '../../../kit/http/oidc-provider.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { hashOf } from '../domain/api-key.ts'
import { knownScopes } from '../domain/client-scopes.ts'
import { type FunctionUsers, isFunctionUserId, openLoginSeconds } from '../domain/function-access.ts'
import { ownPages } from '../domain/own-pages.ts'
import type { CodeProblem, DevicePages, OAuthClients, Users } from '../domain/ports.ts'
import { accessTokenSeconds, type SigningKey, signingAlgorithm } from '../domain/signing-key.ts'
import { clientAdapter, clientDocuments } from './client-metadata.ts'
import type { MetadataDocuments } from './metadata-documents.ts'
import { grantName, type OidcRecords } from './oidc-records.ts'
import { functionOf, resourceServers, signInPolicy } from './resource-servers.ts'

export type ServerNeeds = {
  issuer: string
  /** Where workloads are called: the MCP servers of functions are resources of their own. */
  gatewayUrl: string
  records: Pick<OidcRecords, 'adapter'>
  clients: Pick<OAuthClients, 'find'>
  users: Pick<Users, 'find'>
  functionUsers: Pick<FunctionUsers, 'find'>
  documents: Pick<MetadataDocuments, 'fetch'>
  cookieKeys: Secret<string[]>
  pages: DevicePages
  log: Log<'authorization_server.failed'>
}

const day = 24 * 60 * 60

export function authorizationServer(needs: ServerNeeds, keys: readonly SigningKey[]): Provider {
  const provider = new Provider(needs.issuer, configuration(needs, keys))
  // Host and scheme are set by the routes from the configured address, never by the caller.
  provider.proxy = true
  provider.on('server_error', (_ctx, error) => needs.log('authorization_server.failed', { code: describeError(error) }))
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
    fetch: needs.documents.fetch as never,
    responseTypes: ['code', 'none'],
    loadExistingGrant: loadExistingGrant(needs),
    // The routes turn a Basic header into parameters; the server itself only ever meets those.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    // Apps that publish a document are mostly ones for people's own machines.
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm, application_type: 'native' },
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
    discovery: { registration_endpoint: new URL('/oauth/register', needs.issuer).href },
    interactions: { url: (_ctx, { uid }) => `/oauth/interaction/${uid}`, policy: signInPolicy(needs) },
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
      if (isFunctionUserId(id)) {
        return (await needs.functionUsers.find(id)) && { accountId: id, claims: async () => ({ sub: id }) }
      }
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
      Session: (_ctx, { loginTs, accountId = '' }) =>
        isFunctionUserId(accountId)
          ? functionSessionSeconds(loginTs, Date.now() / 1000)
          : sessionSeconds(loginTs, Date.now() / 1000),
      Grant: 365 * day,
    },
  }
}

/** Each visit to the server begins the idle time anew. Two weeks after the sign-in it is over all the same. */
export function sessionSeconds(signedInAt: number | undefined, now: number): number {
  const left = signedInAt === undefined ? day : signedInAt + 14 * day - now
  return Math.max(1, Math.floor(Math.min(day, left)))
}

/** Who was vouched for has one login's time, however often they come by: nothing else proves that it still holds. */
export const functionSessionSeconds = (signedInAt: number | undefined, now: number): number =>
  Math.max(1, Math.floor((signedInAt ?? now) + openLoginSeconds - now))

function features(needs: ServerNeeds): Configuration['features'] {
  const { pages } = needs
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    // Nobody asked for them, and what is not served must not be advertised.
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    clientIdMetadataDocument: clientDocuments,
    resourceIndicators: resourceServers(needs),
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
const loadExistingGrant =
  (needs: ServerNeeds) =>
  async ({ oidc }: KoaContextWithOIDC) => {
    const { client, session, provider } = oidc
    const clientId = client?.clientId ?? ''
    // At a function every app is asked about anew, so that each answer can be revoked for itself.
    const earlier = functionOf(needs, oidc.params?.resource) ? undefined : session?.grantIdFor(clientId)
    const known = oidc.result?.consent?.grantId ?? earlier
    const grant = known === undefined ? undefined : await provider.Grant.find(known)
    if (grant || clientId !== ownPages.clientId) return grant
    const own = new provider.Grant({ accountId: session?.accountId ?? '', clientId })
    own.addOIDCScope('openid')
    await own.save()
    return own
  }

/** By the names that the server has for them. */
const codeProblems: Record<string, CodeProblem> = {
  NotFoundError: 'unknown',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
}
