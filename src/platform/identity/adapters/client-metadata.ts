// Apps as the authorization server sees them: our records, and documents that apps publish.
import type { AdapterPayload, Configuration } from 'oidc-provider'
import { isRedirectAllowed } from '../domain/client-registration.ts'
import { scopesOf } from '../domain/client-scopes.ts'
import { ownPages } from '../domain/own-pages.ts'
import type { OAuthClient, OAuthClients } from '../domain/ports.ts'

type Features = NonNullable<Configuration['features']>

/** An app without a record is read from the document at its client_id (OAuth Client ID Metadata Document, draft 02). */
export const clientDocuments: NonNullable<Features['clientIdMetadataDocument']> = {
  enabled: true,
  ack: 'draft-02',
  // A document is read once a minute at most, and a change of it is seen within the hour.
  cacheDuration: { min: 60, max: 3_600 },
  allowClient: async (_ctx, client) =>
    (client.redirectUris ?? []).every(isRedirectAllowed) && (client.grantTypes ?? []).every(isForDocuments),
}

/** As for apps that register themselves, whatever the document asks for. */
const isForDocuments = (grantType: string) => grantType === 'authorization_code' || grantType === 'refresh_token'

/** Clients are our own records: the server only reads them. */
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
  // Pages of a website: a native app may have neither https on loopback nor http on a name (OpenID Connect Registration, section 2).
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
    // Apps for command lines have loopback addresses with any port (RFC 8252, section 7.3).
    application_type: secretHash ? 'web' : 'native',
    grant_types: serviceAccount
      ? ['client_credentials']
      : [
          ...(redirectUris.length > 0 ? ['authorization_code'] : []),
          'refresh_token',
          // A code that is shown on one machine and entered on another can be read out to a stranger.
          ...(selfRegistered ? [] : ['urn:ietf:params:oauth:grant-type:device_code']),
        ],
  }
}
