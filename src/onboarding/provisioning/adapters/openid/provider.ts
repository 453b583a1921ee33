// The library reads an empty verifier as "no PKCE" and a missing state as "none expected", so both are asserted here.
import { LRUCache } from 'lru-cache'
import * as openid from 'openid-client'
import { Secret } from '../../../../kit/crypto/secret.ts'
import type { GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import { verifierPattern } from '../../../domain/callback.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { Integration, OAuthClient } from '../../../domain/integration.ts'
import type { Provider, RevocationOutcome, TokenRequest } from '../../../domain/ports/provider.ts'
import { sendsNonce, usesOpenId } from '../../../domain/scopes.ts'
import { notingFetch } from '../noted-calls.ts'
import { readAccount } from './account.ts'
import { authorizationParameters, challengeOf, renamedParameters } from './authorization-request.ts'
import { clientAuthentication } from './client-authentication.ts'
import { describeRefresh, wrapRefreshToken } from './describe-refresh.ts'
import { keptMembers, scopesOf } from './granted-members.ts'
import { type LibraryFetch, libraryFetch, usesPlainHttp } from './library-fetch.ts'
import { maxServers, serverMetadata } from './metadata.ts'
import { accountIn, newestToken } from './newest-token.ts'
import { grantRefresher } from './refresh-grant.ts'
import { revokeByStyle } from './revocation.ts'
import { type StoredAnswer, unpackAnswer } from './stored-answer.ts'
import { answerMembers, isCarriable, tokenMember } from './token-answer.ts'
import { keepingFetch, type RequestTrace, replayingFetch } from './token-fetch.ts'
import { withOwnNames } from './token-wire.ts'
import { clockToleranceSeconds, isBlocked, translateError, unavailable } from './translate-error.ts'

type ProviderNeeds = { fetch: GuardedFetch; redirectUri(integration: string): string; now(): Date }

export function openidProvider({ fetch, redirectUri, now }: ProviderNeeds): Provider {
  const plainFetch = libraryFetch(fetch)
  const metadataOf = serverMetadata(plainFetch)
  // MCP servers name arbitrary issuers. Without a limit their keys would fill the memory.
  const keys = new LRUCache<string, openid.ExportedJWKSCache>({ max: maxServers })

  const build = (
    metadata: openid.ServerMetadata,
    integration: Integration,
    client: OAuthClient,
    skewSeconds: number,
  ) => {
    const clientMetadata = { [openid.clockSkew]: skewSeconds, [openid.clockTolerance]: clockToleranceSeconds }
    const authenticated = clientAuthentication(integration, client)
    const configuration = new openid.Configuration(metadata, client.id, clientMetadata, authenticated)
    configuration.timeout = 0 // the guarded fetch has a limit of its own, and a second clock for each request is not cheap
    if (usesPlainHttp(metadata.token_endpoint ?? '')) openid.allowInsecureRequests(configuration)
    if (metadata.jwks_uri) openid.enableNonRepudiationChecks(configuration)
    const known = keys.get(metadata.issuer)
    if (known) openid.setJwksCache(configuration, known)
    return configuration
  }

  const configurations = new WeakMap<openid.ServerMetadata, WeakMap<OAuthClient, openid.Configuration>>()
  const exchanges = new Map<string, LibraryFetch>()
  const fetchForAll: LibraryFetch = (url, options) => {
    const verifier = options.body instanceof URLSearchParams ? options.body.get('code_verifier') : null
    return ((verifier && exchanges.get(verifier)) || plainFetch)(url, options)
  }

  const configure = async (integration: Integration, client: OAuthClient) => {
    const metadata = await metadataOf(integration)
    const known = configurations.get(metadata) ?? new WeakMap<OAuthClient, openid.Configuration>()
    configurations.set(metadata, known)
    const made = known.get(client) ?? build(metadata, integration, client, 0)
    made[openid.customFetch] = fetchForAll
    known.set(client, made)
    return made
  }

  const grantFrom = async (request: Readable, configuration: openid.Configuration, raw: () => StoredAnswer) => {
    const answer = await openid
      .authorizationCodeGrant(configuration, callbackUrl(request), checks(request))
      .catch((error) => Promise.reject(identityMissing(request, raw()) ?? error))
    const cache = openid.getJwksCache(configuration)
    if (cache && request.integration.issuer) keys.set(request.integration.issuer, cache)
    const members = answerMembers(raw())
    const about = { configuration, answer, members, values: request.config, now: raw().receivedAt }
    const account = await readAccount({
      fetch: notingFetch(fetch, request.note, 'userinfo'),
      profile: request.integration,
      ...about,
    })
    const refreshToken = tokenMember(members, 'refresh_token')
    if (refreshToken && !isCarriable(refreshToken))
      throw new DependencyError('answer_malformed', { detail: 'refresh_token' })
    const accessToken = tokenMember(members, 'access_token')
    const config = keptMembers(members, request.integration)
    return { refreshToken, accessToken, scopes: scopesOf(members, request.integration), account, config }
  }

  const callbackUrl = ({ integration, client, code, issuer }: Readable): URL => {
    const url = new URL(client.redirectUri ?? redirectUri(integration.id))
    url.searchParams.set('code', code.reveal())
    url.searchParams.set('state', flowState)
    if (issuer !== undefined) url.searchParams.set('iss', issuer)
    return url
  }

  const ownConfiguration = async (integration: Integration, client: OAuthClient) =>
    build(await metadataOf(integration).catch((error) => Promise.reject(unavailable(error))), integration, client, 0)

  const revoking = async (integration: Integration, client: OAuthClient, noting: GuardedFetch) => {
    const configuration = await ownConfiguration(integration, client)
    const send = libraryFetch(noting)
    configuration[openid.customFetch] = (url, options) => send(url, withOwnNames(options, integration))
    return configuration
  }

  return {
    ...grantRefresher({ fetch, now, configure: ownConfiguration }),
    describeRefresh: describeRefresh({ fetch, metadataOf }),
    wrapRefreshToken: (refreshToken) => wrapRefreshToken(refreshToken, now()),

    async authorizationUrl(request) {
      assertSecrets(request)
      const { id, redirectUriName } = request.integration
      const address = redirectUriName ?? request.client.redirectUri ?? redirectUri(id)
      const parameters = authorizationParameters(request, address)
      try {
        const configuration = await configure(request.integration, request.client)
        if (request.integration.pkce === 'S256') Object.assign(parameters, challengeOf(request.verifier))
        return renamedParameters(openid.buildAuthorizationUrl(configuration, parameters), request.integration).href
      } catch (error) {
        throw unavailable(error)
      }
    },

    async issuerOf(integration) {
      const metadata = await metadataOf(integration).catch((error) => Promise.reject(unavailable(error)))
      const promised = integration.issuerInCallback || metadata.authorization_response_iss_parameter_supported === true
      return { issuer: integration.issuer && metadata.issuer, promised }
    },

    async exchange(request) {
      assertSecrets(request)
      const seen: RequestTrace = {}
      const { integration, nonce, issuer, keep, note } = request
      const stored = { integration, nonce, issuer, keep, note, call: 'token' } as const
      exchanges.set(request.verifier.reveal(), keepingFetch(fetch, stored, seen, now))
      try {
        const configuration = await configure(request.integration, request.client)
        return await grantFrom(request, configuration, () => seen.stored as StoredAnswer)
      } catch (error) {
        throw seen.storeError ?? translateError(error, seen)
      } finally {
        exchanges.delete(request.verifier.reveal())
      }
    },

    async reread(request, raw) {
      const stored = unpackAnswer(raw)
      const seen: RequestTrace = { status: 200, stored }
      const readable = { ...request, code: new Secret('kept'), verifier: new Secret('kept'.padEnd(43, '0')) }
      const replay = replayingFetch(
        plainFetch,
        { answer: stored, integration: request.integration, seen },
        await tokenEndpoint(metadataOf, request.integration),
      )
      // The ID token is validated at the time it arrived.
      const skew = Math.min(0, Math.round((stored.receivedAt - now().getTime()) / 1_000))
      try {
        const metadata = await metadataOf(request.integration)
        const configuration = build(metadata, request.integration, request.client, skew)
        configuration[openid.customFetch] = replay
        return await grantFrom({ ...readable, nonce: stored.nonce, issuer: stored.issuer }, configuration, () => stored)
      } catch (error) {
        throw translateError(error, seen)
      }
    },

    async revoke({ integration, client, note }, raw, trialRefresh) {
      const noting = notingFetch(fetch, note, 'revocation')
      const { style, token: only } = integration.revocation
      const sent = style === 'rfc7009' ? only : (only ?? 'access_token')
      const { token, isHidden } = newestToken(raw, trialRefresh, sent)
      if (!token) return isHidden ? 'refused' : 'revoked'
      const account = accountIn(raw, integration.account)
      const outcome = await (style === 'rfc7009'
        ? revokeAsStandard(() => revoking(integration, client, noting), token.reveal(), integration.revocation.extra)
        : revokeByStyle(noting, { integration, client, token: token.reveal(), account }))
      return outcome === 'revoked' && isHidden ? 'refused' : outcome
    },
  }
}

async function revokeAsStandard(
  configured: () => Promise<openid.Configuration>,
  token: string,
  extra: Record<string, string>,
): Promise<RevocationOutcome> {
  try {
    const configuration = await configured()
    if (!configuration.serverMetadata().revocation_endpoint) return 'not_offered'
    await openid.tokenRevocation(configuration, token, extra)
    return 'revoked'
  } catch (error) {
    return isBlocked(error) ? 'blocked' : 'refused'
  }
}

type Readable = Omit<TokenRequest, 'keep'>

/** The callback has already claimed the real state. The library skips the check without an expected state. */
const flowState = 'claimed-at-the-callback'

function checks({ integration, nonce, verifier }: Readable): openid.AuthorizationCodeGrantChecks {
  return {
    expectedState: flowState,
    pkceCodeVerifier: verifier.reveal(),
    ...(usesOpenId(integration) && { idTokenExpected: true }),
    ...(sendsNonce(integration) && { expectedNonce: nonce }),
  }
}

/** An empty verifier would silently disable PKCE. */
function assertSecrets({ verifier, nonce, integration }: Pick<TokenRequest, 'verifier' | 'nonce' | 'integration'>) {
  if (!verifierPattern.test(verifier.reveal())) throw new Error('the PKCE verifier is missing')
  if (sendsNonce(integration) && nonce.length < 32) throw new Error('the nonce is missing')
}

async function tokenEndpoint(metadataOf: ReturnType<typeof serverMetadata>, integration: Integration): Promise<string> {
  const metadata = await metadataOf(integration).catch((error) => Promise.reject(unavailable(error)))
  return metadata.token_endpoint ?? ''
}

/** The library reports a missing ID token like any other response that it cannot use. */
function identityMissing({ integration }: Readable, stored: StoredAnswer | undefined): DependencyError | undefined {
  const members = stored ? answerMembers(stored) : {}
  const isMissing = tokenMember(members, 'access_token') && members.id_token === undefined
  return isMissing && integration.account.from === 'id_token'
    ? new DependencyError('identity_invalid', { detail: 'no ID token' })
    : undefined
}
