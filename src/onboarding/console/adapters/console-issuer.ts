// Sign-in to the support console. openid-client does not require state, verifier and redirect URI, so they are asserted
// here.
import { createHash } from 'node:crypto'
import * as openid from 'openid-client'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { GuardedFetch } from '../../../kit/fetch/guarded-fetch.ts'
import { verifierPattern } from '../../domain/callback.ts'
import { maxSessionSeconds } from '../../domain/console.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { ConsoleIssuer, SignInIdentity, SignInRequest } from '../../domain/ports/console.ts'
import { libraryFetch, usesPlainHttp } from '../../provisioning/adapters/openid/library-fetch.ts'
import { discover } from '../../provisioning/adapters/openid/metadata.ts'
import { clockToleranceSeconds, fetchErrorIn, unreached } from '../../provisioning/adapters/openid/translate-error.ts'

export type ConsoleIssuerSettings = {
  issuer: string
  clientId: string
  clientSecret: Secret | undefined
  scopes: string
  redirectUri: string
}

export function openidConsoleIssuer(fetch: GuardedFetch, settings: ConsoleIssuerSettings): ConsoleIssuer {
  const customFetch = libraryFetch(fetch)
  const configure = async (): Promise<openid.Configuration> => {
    const metadata = await discover(settings.issuer, customFetch)
    const clientMetadata = { [openid.clockTolerance]: clockToleranceSeconds }
    const configuration = new openid.Configuration(
      metadata,
      settings.clientId,
      clientMetadata,
      authentication(settings),
    )
    configuration[openid.customFetch] = customFetch
    if (usesPlainHttp(settings.issuer)) openid.allowInsecureRequests(configuration)
    openid.enableNonRepudiationChecks(configuration)
    return configuration
  }
  // A failed discovery is not cached.
  const known = ttlCache(configure, { ttlMs: 60 * 60 * 1_000, capacity: 1 })
  const configuration = () => known.get(settings.issuer).catch((error) => Promise.reject(unavailable(error)))

  return {
    async signInUrl(request) {
      assertSecrets(request)
      return openid.buildAuthorizationUrl(await configuration(), parameters(settings, request)).href
    },

    async identify(query, request) {
      assertSecrets(request)
      const url = new URL(settings.redirectUri)
      url.search = new URLSearchParams(query).toString()
      const checks = {
        expectedState: request.state,
        expectedNonce: request.nonce,
        pkceCodeVerifier: request.verifier.reveal(),
        idTokenExpected: true,
      }
      const config = await configuration()
      const answer = await openid.authorizationCodeGrant(config, url, checks).catch((error) => {
        throw toDependencyError(error)
      })
      return identityOf(answer)
    },

    async refreshIdentity(refreshToken, subject) {
      const config = await configuration()
      try {
        const answer = await openid.refreshTokenGrant(config, refreshToken.reveal())
        if (!answer.claims()) return { claims: undefined, refreshToken: tokenIn(answer) }
        const again = identityOf(answer)
        return again.subject === subject ? again : undefined
      } catch (error) {
        if (error instanceof openid.ResponseBodyError && error.error === 'invalid_grant') return undefined
        throw unavailable(error)
      }
    },
  }
}

const parameters = ({ scopes, redirectUri }: ConsoleIssuerSettings, request: SignInRequest) => ({
  redirect_uri: redirectUri,
  scope: scopes,
  response_type: 'code',
  state: request.state,
  nonce: request.nonce,
  code_challenge: createHash('sha256').update(request.verifier.reveal()).digest('base64url'),
  code_challenge_method: 'S256',
  // max_age makes the issuer send auth_time (OpenID Connect Core, section 2).
  max_age: request.again ? '0' : String(maxSessionSeconds),
  ...(request.again && { prompt: 'login' }),
})

function assertSecrets({ state, nonce, verifier }: SignInRequest): void {
  if (!verifierPattern.test(verifier.reveal())) throw new Error('the PKCE verifier is missing')
  if (state.length < 32 || nonce.length < 32) throw new Error('the state or the nonce is missing')
}

const authentication = ({ clientSecret }: ConsoleIssuerSettings): openid.ClientAuth =>
  clientSecret ? openid.ClientSecretPost(clientSecret.reveal()) : openid.None()

type Answer = openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers

function identityOf(answer: Answer): SignInIdentity {
  const claims = answer.claims()
  if (!claims) throw new DependencyError('identity_invalid', { detail: 'no identity token' })
  const authenticatedAt = typeof claims.auth_time === 'number' ? new Date(claims.auth_time * 1_000) : undefined
  return { subject: claims.sub, claims, authenticatedAt, refreshToken: tokenIn(answer) }
}

const tokenIn = ({ refresh_token: token }: Answer) => (token ? new Secret(token) : undefined)

/** The library's errors contain whole responses, so only their kind is passed on. */
function toDependencyError(error: unknown): DependencyError {
  const denied = error instanceof openid.AuthorizationResponseError
  return new DependencyError(denied ? 'consent_denied' : 'identity_invalid', { detail: 'sign-in' })
}

/** Names the cause for the operator, who sets CONSOLE_ISSUER. */
function unavailable(error: unknown): DependencyError {
  if (error instanceof DependencyError) return error
  const fetchError = fetchErrorIn(error)
  const detail = fetchError ? unreached(fetchError).detail : 'it sent no usable metadata'
  return new DependencyError('provider_unavailable', { retry: {}, detail })
}
