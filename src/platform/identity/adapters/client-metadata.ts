import type { AdapterPayload, Configuration } from 'oidc-provider'
import { FetchError, guardedFetch } from '../../../kit/fetch/guarded-fetch.ts'
import { isRedirectAllowed } from '../domain/client-registration.ts'
import { scopesOf } from '../domain/client-scopes.ts'
import { jwtBearer } from '../domain/identity-assertion.ts'
import { ownPages } from '../domain/own-pages.ts'
import type { OAuthClient, OAuthClients } from '../domain/ports.ts'
import { ServerUnreadable } from './server-unreadable.ts'

type Features = NonNullable<Configuration['features']>

/** A client without a record is read from the document at its client_id (OAuth Client ID Metadata Document, draft 02). */
export const clientDocuments: NonNullable<Features['clientIdMetadataDocument']> = {
  enabled: true,
  ack: 'draft-02',
  // Fetched at most once a minute and at least once an hour.
  cacheDuration: { min: 60, max: 3_600 },
  allowClient: async (_ctx, client) =>
    (client.redirectUris ?? []).every(isRedirectAllowed) && (client.grantTypes ?? []).every(isForDocuments),
}

const isForDocuments = (grantType: string) => ['authorization_code', 'refresh_token', jwtBearer].includes(grantType)

export function clientAdapter({ clients, issuer }: { clients: Pick<OAuthClients, 'find'>; issuer: string }) {
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

const ownPagesClient = (issuer: string): AdapterPayload => ({
  client_id: ownPages.clientId,
  client_name: ownPages.name,
  scope: 'openid',
  token_endpoint_auth_method: 'none',
  redirect_uris: [new URL(ownPages.returnPath, issuer).href],
  response_types: ['none'],
  grant_types: [],
  // A native app may use neither https on loopback nor http on a name (OpenID Connect Registration §2).
  application_type: 'web',
})

function toMetadata(client: OAuthClient) {
  const { clientId, name, secretHash, redirectUris, serviceAccount, selfRegistered } = client
  return {
    client_id: clientId,
    client_name: name,
    scope: scopesOf(client).join(' '),
    ...(secretHash && { client_secret: secretHash.toString('base64url') }),
    token_endpoint_auth_method: secretHash ? 'client_secret_post' : 'none',
    redirect_uris: redirectUris,
    response_types: redirectUris.length > 0 ? ['code'] : [],
    // Command-line apps use loopback URLs with any port (RFC 8252 §7.3).
    application_type: secretHash ? 'web' : 'native',
    grant_types: serviceAccount
      ? ['client_credentials']
      : [
          ...(redirectUris.length > 0 ? ['authorization_code'] : []),
          'refresh_token',
          jwtBearer,
          // No device flow: a user could be tricked into entering an attacker's code.
          ...(selfRegistered ? [] : ['urn:ietf:params:oauth:grant-type:device_code']),
        ],
  }
}

export type MetadataDocuments = ReturnType<typeof metadataDocuments>

/** Anyone can name the URL, so private addresses and redirects are blocked and time and size are limited (draft 02 §6.5, §6.6). */
export function metadataDocuments({ allow }: { allow: readonly string[] }) {
  const call = guardedFetch({ allow, timeoutMs: 3_000, maxBytes: 5 * 1024 })
  return {
    async fetch(address: string | URL | Request): Promise<Response> {
      const url = address instanceof Request ? address.url : String(address)
      const { status, headers, body } = await call(url, { headers: { accept: 'application/json' } }).catch((error) => {
        if (!(error instanceof FetchError)) throw error
        const isPassing = error.kind === 'unreachable' || error.kind === 'unanswered'
        throw new (isPassing ? ServerUnreadable : Error)(`the document can't be read: ${error.kind}`)
      })
      const cacheControl = headers['cache-control']
      return new Response(new Uint8Array(body), {
        status,
        headers: cacheControl ? { 'cache-control': cacheControl } : {},
      })
    },
    close: call.close,
  }
}
