import { timingSafeEqual } from 'node:crypto'
import { decodeProtectedHeader } from 'jose'
import type { AccessToken, Configuration, KoaContextWithOIDC, RefreshToken } from 'oidc-provider'
import type { Secret } from '../../../kit/crypto/secret.ts'
import { errors, Provider } from '../../../kit/http/oidc-provider.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { hashOf } from '../domain/api-key.ts'
import { assertionAlgorithms, assertionProblem, clockToleranceSeconds } from '../domain/client-assertion.ts'
import { knownScopes } from '../domain/client-scopes.ts'
import { type FunctionUsers, isFunctionUserId, openLoginSeconds } from '../domain/function-access.ts'
import { assertionProfile } from '../domain/identity-assertion.ts'
import { ownPages } from '../domain/own-pages.ts'
import type { AcceptAssertion, CodeProblem, DevicePages, OAuthClients, Users } from '../domain/ports.ts'
import { refreshTokenSeconds } from '../domain/refresh-token.ts'
import { accessTokenSeconds, type SigningKey, signingAlgorithm } from '../domain/signing-key.ts'
import { acceptAssertions } from './assertion-grant.ts'
import type { ClientKeys } from './client-keys.ts'
import { clientAdapter, clientDocuments, type MetadataDocuments } from './client-metadata.ts'
import { grantName, type OidcRecords } from './oidc-records.ts'
import { resourceServers, signInPolicy, toolResourceOf } from './resource-servers.ts'
import { askToRepeat, ServerUnreadable } from './server-unreadable.ts'

type ServerNeeds = {
  issuer: string
  gatewayUrl: string
  records: Pick<OidcRecords, 'adapter' | 'rotate' | 'endReused'>
  clients: Pick<OAuthClients, 'find'>
  users: Pick<Users, 'find'>
  functionUsers: Pick<FunctionUsers, 'find'>
  documents: Pick<MetadataDocuments, 'fetch'>
  clientKeys: Pick<ClientKeys, 'find'>
  acceptAssertion: AcceptAssertion
  cookieKeys: Secret<string[]>
  pages: DevicePages
  log: Log<'authorization_server.failed'>
}

const day = 24 * 60 * 60

export function authorizationServer(needs: ServerNeeds, keys: readonly SigningKey[]): Provider {
  const provider = new Provider(needs.issuer, configuration(needs, keys))
  // The routes set host and scheme from the configured URL. Callers can't set them.
  provider.proxy = true
  provider.on('server_error', (_ctx, error) => needs.log('authorization_server.failed', { code: describeError(error) }))
  provider.on('grant.error', askToRepeat)
  provider.on('revocation.error', askToRepeat)
  // Only hashes of secrets are stored, so hashes are compared.
  provider.Client.prototype.compareClientSecret = function (this: { clientSecret?: string }, given: string) {
    const expected = Buffer.from(this.clientSecret ?? '', 'base64url')
    const actual = hashOf(given)
    return expected.length === actual.length && timingSafeEqual(expected, actual)
  } as never
  leaveUnstoredSessions(provider)
  acceptAssertions(provider, needs)
  provider.use(nameTheParameter)
  provider.use(giveSuccessor)
  return provider
}

/** The server compares the resource after it has used up the refresh token. */
function assertGrantedResource({ oidc }: KoaContextWithOIDC, token: unknown): void {
  const { resource } = oidc.params ?? {}
  const { resourceIndicators: granted } = (token ?? {}) as { resourceIndicators?: ReadonlySet<unknown> }
  if (oidc.route === 'token' && resource && granted && !granted.has(resource)) throw new errors.InvalidTarget()
}

type Configured<Name extends keyof Configuration> = NonNullable<Configuration[Name]>

/** The library forgets keys with each request, and does not limit how often or how much it reads. */
const fetchForClients =
  ({ documents, clientKeys }: ServerNeeds) =>
  async (address: string | URL | Request): Promise<Response> => {
    const { client, params } = Provider.ctx?.oidc ?? {}
    if (client?.jwksUri && new URL(client.jwksUri).href === String(address)) {
      const { kid } = decodeProtectedHeader(String(params?.client_assertion))
      const keys = await clientKeys.find(client.jwksUri, kid)
      if (!keys) throw new ServerUnreadable("the keys of the client can't be read")
      return Response.json({ keys })
    }
    const answer = await documents.fetch(address)
    if (answer.status === 429 || answer.status >= 500)
      throw new ServerUnreadable("the metadata document of the client can't be read")
    return answer
  }

const assertMeantForUs: Configured<'assertJwtClientAuthClaimsAndHeader'> = ({ oidc }, claims, header) => {
  const expected = { audiences: [oidc.issuer, oidc.urlFor('token')], nowSeconds: Date.now() / 1000 }
  const problem = assertionProblem({ claims, header }, expected)
  if (problem) throw new errors.InvalidClientAuth(problem)
}

/** The library would only delete the grant. */
async function endReusedGrant({ records }: ServerNeeds, { oidc }: KoaContextWithOIDC, token: unknown): Promise<void> {
  const { kind, consumed, grantId, clientId } = (token ?? {}) as Partial<RefreshToken>
  if (oidc.route !== 'token' || kind !== 'RefreshToken' || !consumed || !grantId || !clientId) return
  await records.endReused(grantId, clientId)
}

/** Parallel requests with one token, and repeated ones within the grace period, must get the same successor. */
async function rotate({ records }: ServerNeeds, { oidc, state }: KoaContextWithOIDC): Promise<false> {
  state.successor = await records.rotate(String(oidc.params?.refresh_token))
  if (state.successor === undefined) throw new errors.InvalidGrant('refresh token already used')
  return false
}

/** The library returns the refresh token of the request, because it did not rotate it. */
async function giveSuccessor({ state, response }: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  const { body } = response as { body?: { refresh_token?: unknown } }
  if (state.successor !== undefined && body?.refresh_token) body.refresh_token = state.successor
}

/** The prefix keeps sites below the same domain from setting the cookie. Browsers need TLS for it. */
const sessionCookie = (issuer: string) => (issuer.startsWith('https:') ? '__Host-platform_session' : 'platform_session')

const refusedParameters: Record<string, string> = {
  authorization_code: 'code',
  refresh_token: 'refresh_token',
  'urn:ietf:params:oauth:grant-type:device_code': 'device_code',
}

/** The server does not say which parameter is wrong, but developers need to know. */
async function nameTheParameter(ctx: KoaContextWithOIDC, next: () => Promise<void>): Promise<void> {
  await next()
  const refusal = ctx.body as { error?: string; error_description?: string } | undefined
  const grant = refusedParameters[String(ctx.oidc?.params?.grant_type)]
  if (refusal?.error === 'invalid_client') refusal.error_description = clientRefusal(ctx)
  if (refusal?.error === 'invalid_grant' && grant) {
    refusal.error_description = `${grant} is invalid, used, expired, or was issued for another client or redirect URI`
  }
}

const clientRefusal = ({ oidc }: KoaContextWithOIDC) =>
  oidc?.params?.client_assertion === undefined
    ? 'invalid client_id or client_secret'
    : 'client_assertion is invalid, used, expired, for another audience, or signed by a key that the client does not publish'

/** An error page of the device flow writes to its session too late, and storing it would fail. */
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
    fetch: fetchForClients(needs) as never,
    responseTypes: ['code', 'none'],
    loadExistingGrant: loadExistingGrant(needs),
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'],
    assertJwtClientAuthClaimsAndHeader: assertMeantForUs,
    clockTolerance: clockToleranceSeconds,
    // Most apps with a metadata document are native apps.
    clientDefaults: { id_token_signed_response_alg: signingAlgorithm, application_type: 'native' },
    enabledJWA: {
      idTokenSigningAlgValues: [signingAlgorithm],
      clientAuthSigningAlgValues: [...assertionAlgorithms],
    },
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
    discovery: {
      registration_endpoint: new URL('/oauth/register', needs.issuer).href,
      authorization_grant_profiles_supported: [assertionProfile],
    },
    interactions: { url: (_ctx, { uid }) => `/oauth/interaction/${uid}`, policy: signInPolicy(needs) },
    cookies: {
      keys: needs.cookieKeys.reveal(),
      names: { session: sessionCookie(needs.issuer), interaction: 'platform_interaction', resume: 'platform_resume' },
    },
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: (ctx) => rotate(needs, ctx),
    // A function login lasts 15 minutes in the browser. Its grants outlive it, and are listed and revoked separately.
    expiresWithSession: async ({ oidc }, { scopes }) =>
      !scopes.has('offline_access') && !toolResourceOf(needs, oidc.params?.resource),
    extraTokenClaims: async (_ctx, token) =>
      token.kind === 'ClientCredentials'
        ? { kind: 'service_account' }
        : { kind: 'user', grant: grantName((token as AccessToken).grantId ?? '') },
    findAccount: async (ctx, id, token) => {
      assertGrantedResource(ctx, token)
      await endReusedGrant(needs, ctx, token)
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
      RefreshToken: refreshTokenSeconds,
      Session: (_ctx, { loginTs, accountId = '' }) =>
        isFunctionUserId(accountId)
          ? functionSessionSeconds(loginTs, Date.now() / 1000)
          : sessionSeconds(loginTs, Date.now() / 1000),
      Grant: 365 * day,
    },
  }
}

/** Each request extends the session by a day, up to two weeks after the sign-in. */
export function sessionSeconds(signedInAt: number | undefined, now: number): number {
  const left = signedInAt === undefined ? day : signedInAt + 14 * day - now
  return Math.max(1, Math.floor(Math.min(day, left)))
}

/** A function login is never extended, because only the tenant's request proves it. */
export const functionSessionSeconds = (signedInAt: number | undefined, now: number): number =>
  Math.max(1, Math.floor((signedInAt ?? now) + openLoginSeconds - now))

function features(needs: ServerNeeds): Configuration['features'] {
  const { pages } = needs
  return {
    devInteractions: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    // Disabled, so that they are not advertised.
    pushedAuthorizationRequests: { enabled: false },
    dPoP: { enabled: false },
    clientCredentials: { enabled: true },
    revocation: { enabled: true, allowedPolicy: async (_ctx, client, token) => token.clientId === client.clientId },
    clientIdMetadataDocument: clientDocuments,
    resourceIndicators: resourceServers(needs),
    deviceFlow: {
      enabled: true,
      userCodeInputSource: async (ctx, form, _out, error) => {
        const name = error?.name ?? ''
        ctx.body = await (name === 'AbortedError' ? pages.deviceRefused() : pages.enterCode(form, codeProblems[name]))
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

/** An app of the operator that learns only who the user is. Without a secret, any program could claim to be it. */
async function asksForSignIn(needs: ServerNeeds, clientId: string, params: Partial<Record<string, unknown>> = {}) {
  if (params.scope !== 'openid' || toolResourceOf(needs, params.resource)) return false
  const client = await needs.clients.find(clientId)
  return client?.secretHash !== undefined && !client.selfRegistered
}

const loadExistingGrant =
  (needs: ServerNeeds) =>
  async ({ oidc }: KoaContextWithOIDC) => {
    const { client, session, provider } = oidc
    const clientId = client?.clientId ?? ''
    // At a function, each app is asked again, so that each grant can be revoked separately.
    const earlier = toolResourceOf(needs, oidc.params?.resource) ? undefined : session?.grantIdFor(clientId)
    const known = oidc.result?.consent?.grantId ?? earlier
    const grant = known === undefined ? undefined : await provider.Grant.find(known)
    if (grant || !(clientId === ownPages.clientId || (await asksForSignIn(needs, clientId, oidc.params)))) return grant
    const own = new provider.Grant({ accountId: session?.accountId ?? '', clientId })
    own.addOIDCScope('openid')
    await own.save()
    return own
  }

const codeProblems: Record<string, CodeProblem> = {
  NotFoundError: 'unknown',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
}
