// The OAuth client that this deployment has at the authorization server of an MCP server: by a metadata document of ours,
// or registered there (RFC 7591).
import { createHash } from 'node:crypto'
import type { ClientAuthentication, OAuthClient } from '../integration.ts'
import type { AuthorizationServer } from './mcp-server.ts'

/** One for each integration and authorization server. */
export type ClientPlace = { integration: string; issuer: string }

export const clientOrigins = ['metadata_document', 'registration'] as const

export type RegisteredClient = ClientPlace & {
  client: OAuthClient
  by: (typeof clientOrigins)[number]
  clientAuthentication: ClientAuthentication
  redirectUri: string
  registeredAt: Date
  /** When the authorization server last showed that it knows the client. */
  confirmedAt: Date
  /** The authorization server said that it does not know the client any more. */
  forgottenAt: Date | undefined
  /** RFC 7591 §3.2.1: the secret is good until then. */
  expiresAt: Date | undefined
}

export type NewClient = Pick<RegisteredClient, 'client' | 'by' | 'clientAuthentication' | 'redirectUri' | 'expiresAt'>

const callbackPath = '/oauth/callback/'

/**
 * Which of our callback addresses the response of an authorization server comes to. One that names itself there is told by
 * that (RFC 9207). One that does not has an address of its own, so that its response is never taken for another's that
 * serves the same integration (RFC 9700 §4.4.2.2).
 */
export const callbackName = (integration: string, { issuer, namesIssuer }: IssuerInCallback): string =>
  namesIssuer ? integration : `${integration}/${createHash('sha256').update(issuer).digest('base64url').slice(0, 16)}`

type IssuerInCallback = Pick<AuthorizationServer, 'issuer' | 'namesIssuer'>

/** What `callbackName` may put behind the integration. */
export const issuerKeyPattern = /^[A-Za-z0-9_-]{16}$/

export const redirectUriOf = (publicUrl: string, callback: string): string => `${publicUrl}${callbackPath}${callback}`

/** The other way round, for a client that was registered with a redirect URI of ours. */
export const callbackOf = (integration: string, { redirectUri }: Pick<OAuthClient, 'redirectUri'>): string =>
  redirectUri?.split(callbackPath).at(-1) ?? integration

/** The document is an address of ours, which is the client's id; authorization servers take it over TLS alone. */
export const clientDocumentUrl = (publicUrl: string, callback: string): string | undefined =>
  publicUrl.startsWith('https:') ? `${publicUrl}/oauth/clients/${callback}` : undefined

export type ClientWords = { name: string; uri: string }

/** What is told of this deployment, in a registration (RFC 7591 §2) and in its metadata document alike. */
export const clientMetadata = ({ name, uri }: ClientWords, redirectUri: string, method: ClientAuthentication) => ({
  client_name: name,
  client_uri: uri,
  redirect_uris: [redirectUri],
  // OpenID Connect Registration §2, which MCP asks for: a server behind an address of its own, and no app on a device.
  application_type: 'web',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: method,
})

type ClientContext = { at: AuthorizationServer; documentUrl: string | undefined; redirectUri: string; now: Date }

/** By a document first: nothing has to be stored there, so nothing can be forgotten. */
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

/** Whether users can be sent there with it: a secret that ends within a day would take its connections with it. */
export function isUsable(known: RegisteredClient, { documentUrl, redirectUri, at, now }: ClientContext): boolean {
  if (known.forgottenAt || known.redirectUri !== redirectUri) return false
  if (known.by === 'metadata_document') return known.client.id === documentUrl && at.takesMetadataDocuments
  return known.expiresAt === undefined || known.expiresAt.getTime() - now.getTime() > dayMs
}

/** What an authorization server may be asked about a client, and how often. */
export const confirmEveryMs = 10 * 60 * 1_000

/** One that forgets a client as soon as it has registered it would be registered at for ever. */
export const mayRegisterAgain = ({ registeredAt }: Pick<RegisteredClient, 'registeredAt'>, now: Date): boolean =>
  now.getTime() - registeredAt.getTime() > confirmEveryMs
