import type { DiscoveredServer } from '../../../contract/integrations/discovered-server.ts'
import { DependencyError } from '../dependency-error.ts'
import type { ClientAuthentication, OAuthClient, Profile } from '../integration.ts'
import type { Config } from '../link.ts'

export type AuthorizationServer = {
  issuer: string
  authorizationEndpoint: string
  tokenEndpoint: string
  registrationEndpoint: string | undefined
  revocationEndpoint: string | undefined
  userinfoEndpoint: string | undefined
  jwksUri: string | undefined
  scopes: readonly string[] | undefined
  grantTypes: readonly string[] | undefined
  clientAuthentications: readonly string[] | undefined
  signingAlgorithms: readonly string[] | undefined
  /** False if the metadata does not mention PKCE. */
  listsPkce: boolean
  namesIssuer: boolean
  takesMetadataDocuments: boolean
}

export type McpServer = {
  resource: string
  challengedScopes: readonly string[] | undefined
  scopes: readonly string[] | undefined
  authorizationServer: AuthorizationServer
}

/** RFC 6749 §3.3. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/

export const maxScopeLength = 1_000

export const joinedScopes = (names: readonly string[]): string =>
  [...new Set(names)].filter((name) => scopeToken.test(name)).join(' ')

/** Scopes of the file, else the challenge, else the resource metadata. `before`: scopes that must not be lost. */
export function scopesToAsk(server: McpServer, profile: Pick<Profile, 'scopes' | 'account'>, before: string): string {
  const stated = profile.scopes.map(({ name }) => name)
  const found = stated.length > 0 ? stated : (server.challengedScopes ?? server.scopes ?? [])
  const { scopes: known = [] } = server.authorizationServer
  const helpful = [
    ...(known.includes('offline_access') ? ['offline_access'] : []),
    ...(profile.account.from === 'id_token' && isOpenIdProvider(server) ? openIdScopes(known) : []),
  ]
  const joined = joinedScopes([...found, ...helpful, ...before.split(' ')])
  if (joined.length > maxScopeLength) throw new DependencyError('mcp_metadata_unusable', { detail: 'scopes' })
  return joined
}

/** Only servers that declare it and use the mandatory algorithm (OpenID Connect Core §15.1). */
const isOpenIdProvider = ({ authorizationServer: { scopes, jwksUri, signingAlgorithms } }: McpServer): boolean =>
  scopes?.includes('openid') === true && jwksUri !== undefined && signingAlgorithms?.includes('RS256') === true

const openIdScopes = (known: readonly string[]) => ['openid', 'email'].filter((name) => known.includes(name))

/** RFC 8414 §2: the default is `client_secret_basic`. */
export function clientAuthenticationAt(
  { clientAuthentications: known = ['client_secret_basic'] }: AuthorizationServer,
  hasSecret: boolean,
): ClientAuthentication {
  if (!hasSecret) return 'none'
  return known.includes('client_secret_basic') || !known.includes('client_secret_post')
    ? 'client_secret_basic'
    : 'client_secret_post'
}

/** Prefers a secret: it makes a stolen refresh token useless. */
export function authenticationToRegister({
  clientAuthentications: known = ['client_secret_basic'],
}: AuthorizationServer): ClientAuthentication {
  const wanted = ['client_secret_basic', 'client_secret_post', 'none'] as const
  return wanted.find((method) => known.includes(method)) ?? 'none'
}

/** An MCP server must not redirect a configured client secret: it is sent only to the issuer of the entry. */
export function assertPinned(
  { issuer: pin }: Pick<Profile, 'issuer'>,
  { authorizationServer: { issuer } }: McpServer,
  given: OAuthClient | undefined,
): void {
  const isSafe = pin === undefined ? given === undefined : pin === issuer
  if (!isSafe) throw new DependencyError('mcp_issuer_unexpected', { detail: 'issuer' })
}

/** MCP requires clients to refuse without the list: the server may not support PKCE, and a stolen code could be used. */
export function assertPkce(
  { pkceMetadata }: Pick<Profile, 'pkceMetadata'>,
  { authorizationServer: { listsPkce } }: McpServer,
): void {
  if (!listsPkce && pkceMetadata === 'required')
    throw new DependencyError('mcp_metadata_unusable', { detail: 'no PKCE with S256' })
}

type AuthorizationChoice = { scope: string; clientAuthentication: ClientAuthentication; clientId?: string | undefined }

export function discoveredConfig(
  server: McpServer,
  { scope, clientAuthentication, clientId }: AuthorizationChoice,
): Config {
  const { resource, authorizationServer: at } = server
  const found = {
    issuer: at.issuer,
    authorization_endpoint: at.authorizationEndpoint,
    token_endpoint: at.tokenEndpoint,
    revocation_endpoint: at.revocationEndpoint,
    userinfo_endpoint: at.userinfoEndpoint,
    jwks_uri: at.jwksUri,
    authorization_response_iss_parameter_supported: at.namesIssuer ? 'true' : undefined,
    token_endpoint_auth_method: clientAuthentication,
    client_id: clientId,
    resource,
    scope,
    // RFC 8414 §2: a list without `refresh_token` means that there are none; a missing list says nothing.
    grant: at.grantTypes?.includes('refresh_token') === false ? 'lasting_access' : undefined,
  } satisfies { [Name in keyof DiscoveredServer]: DiscoveredServer[Name] | undefined }
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
