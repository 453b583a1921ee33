import { LRUCache } from 'lru-cache'
import * as openid from 'openid-client'
import { ttlCache } from '../../../../kit/cache/ttl-cache.ts'
import type { Integration } from '../../../domain/integration.ts'
import { type LibraryFetch, usesPlainHttp } from './library-fetch.ts'

export const maxServers = 1_000

const memory = { ttlMs: 60 * 60 * 1_000, capacity: maxServers }

export function serverMetadata(fetch: LibraryFetch) {
  const discovered = ttlCache((issuer) => discover(issuer, fetch), memory)

  const profiles = new LRUCache<string, Promise<openid.ServerMetadata>>({ max: memory.capacity })
  const written = remembered((integration: Integration) => {
    // Addresses may differ per account. The key has every value that is read, so servers never share metadata.
    const { id, issuer, endpoints, revocation, issuerInCallback } = integration
    const key = JSON.stringify([id, issuer, endpoints, revocation.style, revocation.url, issuerInCallback])
    const metadata = profiles.get(key) ?? Promise.resolve(fromProfile(integration))
    profiles.set(key, metadata)
    return metadata
  })

  const completed = new WeakMap<openid.ServerMetadata, openid.ServerMetadata>()
  const found = async ({ issuer = '', pkce, revocation: { style, url } }: Integration) => {
    const metadata = await discovered.get(issuer)
    const methods = metadata.code_challenge_methods_supported
    if (pkce === 'S256' && methods && !methods.includes('S256')) {
      // Invalid metadata is not cached: the provider may fix it.
      discovered.forget(issuer)
      throw new Error('the provider does not support PKCE with S256')
    }
    if (style !== 'rfc7009' || url === undefined) return metadata
    const known = completed.get(metadata) ?? { ...metadata, revocation_endpoint: url }
    completed.set(metadata, known)
    return known
  }

  return (integration: Integration): Promise<openid.ServerMetadata> => {
    return integration.endpoints ? written(integration) : found(integration)
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
  // OpenID Connect Discovery §4.3: exact comparison. The library compares parsed URLs.
  if (metadata.issuer !== issuer) throw new Error('the metadata is from another issuer')
  // Browsers and codes go there: metadata must not name a script, a file or a page without TLS.
  for (const address of [metadata.authorization_endpoint ?? '', metadata.token_endpoint ?? '']) {
    const isSafe = address.startsWith('https:') || (usesPlainHttp(address) && usesPlainHttp(issuer))
    if (!isSafe) throw new Error('an endpoint is not an https address')
  }
  return metadata
}

function remembered<Value>(read: (integration: Integration) => Value) {
  const known = new WeakMap<Integration, Value>()
  return (integration: Integration): Value => {
    const value = known.get(integration) ?? read(integration)
    known.set(integration, value)
    return value
  }
}
