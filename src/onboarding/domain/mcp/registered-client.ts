// A metadata document of ours, or a client registered at the authorization server (RFC 7591).
import { createHash } from 'node:crypto'
import type { ClientAuthentication, OAuthClient } from '../integration.ts'
import type { AuthorizationServer } from './mcp-server.ts'

export type ClientPlace = { integration: string; issuer: string }

export const clientOrigins = ['metadata_document', 'registration'] as const

export type RegisteredClient = ClientPlace & {
  client: OAuthClient
  by: (typeof clientOrigins)[number]
  clientAuthentication: ClientAuthentication
  redirectUri: string
  registeredAt: Date
  confirmedAt: Date
  forgottenAt: Date | undefined
  expiresAt: Date | undefined
}

export type NewClient = Pick<RegisteredClient, 'client' | 'by' | 'clientAuthentication' | 'redirectUri' | 'expiresAt'>

const callbackPath = '/oauth/callback/'

/** Servers that send `iss` share a callback URL (RFC 9207). Others get one per issuer (RFC 9700 §4.4.2.2). */
export const callbackName = (integration: string, { issuer, namesIssuer }: IssuerInCallback): string =>
  namesIssuer ? integration : `${integration}/${createHash('sha256').update(issuer).digest('base64url').slice(0, 16)}`

type IssuerInCallback = Pick<AuthorizationServer, 'issuer' | 'namesIssuer'>

export const issuerKeyPattern = /^[A-Za-z0-9_-]{16}$/

export const redirectUriOf = (publicUrl: string, callback: string): string => `${publicUrl}${callbackPath}${callback}`

export const callbackOf = (integration: string, { redirectUri }: Pick<OAuthClient, 'redirectUri'>): string =>
  redirectUri?.split(callbackPath).at(-1) ?? integration

/** The URL of the document is the client ID. Authorization servers require TLS. */
export const clientDocumentUrl = (publicUrl: string, callback: string): string | undefined =>
  publicUrl.startsWith('https:') ? `${publicUrl}/oauth/clients/${callback}` : undefined

export type ClientWords = { name: string; uri: string }

export const clientMetadata = ({ name, uri }: ClientWords, redirectUri: string, method: ClientAuthentication) => ({
  client_name: name,
  client_uri: uri,
  redirect_uris: [redirectUri],
  // OpenID Connect Registration §2, required by MCP.
  application_type: 'web',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: method,
})

type ClientContext = { at: AuthorizationServer; documentUrl: string | undefined; redirectUri: string; now: Date }

/** Preferred over registration: the server stores nothing, so it can forget nothing. */
export const documentClient = ({ at, documentUrl, redirectUri }: ClientContext): NewClient | undefined =>
  at.takesMetadataDocuments && documentUrl !== undefined
    ? {
        client: { id: documentUrl, secret: undefined },
        by: 'metadata_document',
        clientAuthentication: 'none',
        redirectUri,
        expiresAt: undefined,
      }
    : undefined

const dayMs = 24 * 60 * 60 * 1_000

/** A secret that expires within a day would break its new connections. */
export function isUsable(known: RegisteredClient, { documentUrl, redirectUri, at, now }: ClientContext): boolean {
  if (known.forgottenAt || known.redirectUri !== redirectUri) return false
  if (known.by === 'metadata_document') return known.client.id === documentUrl && at.takesMetadataDocuments
  return known.expiresAt === undefined || known.expiresAt.getTime() - now.getTime() > dayMs
}

export const confirmEveryMs = 10 * 60 * 1_000

/** Limits registration at a server that forgets clients at once. */
export const mayRegisterAgain = ({ registeredAt }: Pick<RegisteredClient, 'registeredAt'>, now: Date): boolean =>
  now.getTime() - registeredAt.getTime() > confirmEveryMs
