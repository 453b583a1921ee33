import * as openid from 'openid-client'
import { ttlCache } from '../../../../kit/cache/ttl-cache.ts'
import type { Integration } from '../../../domain/integration.ts'
import { type LibraryFetch, usesPlainHttp } from './library-fetch.ts'

/** Integrations are few; a provider that is down now is asked again next time. */
const memory = { ttlMs: 60 * 60 * 1_000, capacity: 1_000 }

/** What is known of a provider's server: from its profile, or discovered once an hour, by one request at a time. */
export function serverMetadata(fetch: LibraryFetch) {
  const discovered = ttlCache((issuer) => discover(issuer, fetch), memory)

  const profiles = new Map<string, Promise<openid.ServerMetadata>>()
  const written = (integration: Integration) => {
    const metadata = profiles.get(integration.id) ?? Promise.resolve(fromProfile(integration))
    profiles.set(integration.id, metadata)
    return metadata
  }

  return (integration: Integration): Promise<openid.ServerMetadata> => {
    return integration.endpoints ? written(integration) : discovered.get(integration.issuer as string)
  }
}

function fromProfile({ issuer, endpoints, revocation, issuerInCallback }: Integration): openid.ServerMetadata {
  if (!endpoints) throw new Error('a profile has endpoints or an issuer')
  return {
    issuer: issuer ?? new URL(endpoints.authorization).origin,
    authorization_endpoint: endpoints.authorization,
    token_endpoint: endpoints.token,
    ...(endpoints.userinfo && { userinfo_endpoint: endpoints.userinfo }),
    ...(revocation.style === 'rfc7009' && revocation.url && { revocation_endpoint: revocation.url }),
    ...(endpoints.jwks && { jwks_uri: endpoints.jwks }),
    authorization_response_iss_parameter_supported: issuerInCallback,
  }
}

export async function discover(issuer: string, fetch: LibraryFetch): Promise<openid.ServerMetadata> {
  const execute = usesPlainHttp(issuer) ? [openid.allowInsecureRequests] : []
  const configuration = await openid.discovery(new URL(issuer), 'discovery', undefined, openid.None(), {
    [openid.customFetch]: fetch,
    execute,
  })
  const metadata = { ...configuration.serverMetadata() }
  // Letter for letter (OpenID Connect Discovery §4.3): the library compares parsed addresses, which is less.
  if (metadata.issuer !== issuer) throw new Error('the metadata is of another issuer')
  // Browsers and codes are sent there: metadata must not be able to name a script, a file, or a page without TLS.
  for (const address of [metadata.authorization_endpoint ?? '', metadata.token_endpoint ?? '']) {
    const isSafe = address.startsWith('https:') || (usesPlainHttp(address) && usesPlainHttp(issuer))
    if (!isSafe) throw new Error('an endpoint is not an https address')
  }
  const methods = metadata.code_challenge_methods_supported
  if (methods && !methods.includes('S256')) throw new Error('the provider does not support PKCE with S256')
  return metadata
}
