// Our metadata document, or a client registered at the authorization server (RFC 7591).
import { createHash } from 'node:crypto'
import type { ClientAuthentication, OAuthClient } from '../integration.ts'
import type { AuthorizationServer } from './mcp-server.ts'

export const clientOrigins = ['metadata_document', 'registration'] as const

/** Shared by all integrations of the issuer. A replaced client stays, for the grants that were issued to it. */
export type RegisteredClient = {
  issuer: string
  client: OAuthClient
  by: (typeof clientOrigins)[number]
  clientAuthentication: ClientAuthentication
  redirectUri: string
  scope: string
  registeredAt: Date
  /** When the token endpoint first accepted the client. */
  workedAt: Date | undefined
  forgottenAt: Date | undefined
  expiresAt: Date | undefined
}

export type NewClient = Omit<RegisteredClient, 'issuer' | 'registeredAt' | 'workedAt' | 'forgottenAt'>

const callbackPath = '/oauth/callback/'

export const issuerKey = (issuer: string): string =>
  createHash('sha256').update(issuer).digest('base64url').slice(0, 16)

export const issuerKeyPattern = /^[A-Za-z0-9_-]{16}$/

/** One per issuer (RFC 9700 §4.4.2.2), for all integrations. The path of an integration's own callback has no slash. */
export const issuerCallback = (key: string): string => `mcp/${key}`

export const redirectUriOf = (publicUrl: string, callback: string): string => `${publicUrl}${callbackPath}${callback}`

export const callbackOf = (integration: string, { redirectUri }: Pick<OAuthClient, 'redirectUri'>): string =>
  redirectUri?.split(callbackPath).at(-1) ?? integration

/** The URL of the document is the client ID. Authorization servers require TLS. */
export const clientDocumentUrl = (publicUrl: string, key: string): string | undefined =>
  publicUrl.startsWith('https:') ? `${publicUrl}/oauth/clients/${key}` : undefined

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

export type ClientContext = {
  at: AuthorizationServer
  documentUrl: string | undefined
  redirectUri: string
  scope: string
  now: Date
}

/** Preferred over registration: the server stores nothing, so it can forget nothing. */
export const documentClient = ({ at, documentUrl, redirectUri }: ClientContext): NewClient | undefined =>
  at.takesMetadataDocuments && documentUrl !== undefined
    ? {
        client: { id: documentUrl, secret: undefined },
        by: 'metadata_document',
        clientAuthentication: 'none',
        redirectUri,
        scope: '',
        expiresAt: undefined,
      }
    : undefined

const dayMs = 24 * 60 * 60 * 1_000

/** A secret that expires within a day would break its new connections. */
export function isUsable(
  known: RegisteredClient,
  { documentUrl, redirectUri, scope, at, now }: ClientContext,
): boolean {
  if (known.forgottenAt || known.redirectUri !== redirectUri) return false
  if (known.by === 'metadata_document') return known.client.id === documentUrl && at.takesMetadataDocuments
  if (scopeOfBoth(known.scope, scope) !== known.scope) return false
  return known.expiresAt === undefined || known.expiresAt.getTime() - now.getTime() > dayMs
}

/** RFC 7591 §2: a client may request only the scopes it is registered for. Without any, the server decides. */
export function scopeOfBoth(known: string, more: string): string {
  if (known === '' || more === '') return known
  return [...new Set(`${known} ${more}`.split(' '))].join(' ')
}

const registerAgainMs = 10 * 60 * 1_000

/** Limits registration at a server that forgets clients before they worked. */
export const mayRegisterAgain = ({ registeredAt, workedAt }: RegisteredClient, now: Date): boolean =>
  workedAt !== undefined || now.getTime() - registeredAt.getTime() > registerAgainMs
