// What an MCP server and its authorization server say about themselves, and what a link makes of it.
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
  /** Undefined where the metadata has no such list. */
  scopes: readonly string[] | undefined
  grantTypes: readonly string[] | undefined
  clientAuthentications: readonly string[] | undefined
  signingAlgorithms: readonly string[] | undefined
  /** RFC 9207: it names itself in the callback. */
  namesIssuer: boolean
  /** Whether the address of a document about the client may be its id. */
  takesMetadataDocuments: boolean
}

export type McpServer = {
  /** RFC 8707: what tokens are asked for. */
  resource: string
  /** From the challenge, if it named any: what is needed now. */
  challengedScopes: readonly string[] | undefined
  /** From the resource's metadata: everything there is. */
  scopes: readonly string[] | undefined
  authorizationServer: AuthorizationServer
}

/** RFC 6749 §3.3. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/

/** As much as fits into the config of a connection, and more than any user reads. */
export const longestScope = 1_000

/** Each once, and none that is no scope. */
export const joinedScopes = (names: readonly string[]): string =>
  [...new Set(names)].filter((name) => scopeToken.test(name)).join(' ')

/**
 * What the user is asked for: what the file says, else what the challenge names, else what the resource's metadata
 * lists; with what brings a refresh token and tells the account, where the authorization server knows it. `before`: what
 * a connection has already, which a new grant must not lose.
 */
export function scopesToAsk(server: McpServer, profile: Pick<Profile, 'scopes' | 'account'>, before: string): string {
  const stated = profile.scopes.map(({ name }) => name)
  const found = stated.length > 0 ? stated : (server.challengedScopes ?? server.scopes ?? [])
  const { scopes: known = [] } = server.authorizationServer
  const helpful = [
    ...(known.includes('offline_access') ? ['offline_access'] : []),
    ...(profile.account.from === 'id_token' && isOpenIdProvider(server) ? openIdScopes(known) : []),
  ]
  const joined = joinedScopes([...found, ...helpful, ...before.split(' ')])
  if (joined.length > longestScope) throw new DependencyError('mcp_metadata_unusable', { detail: 'scopes' })
  return joined
}

/** Only one that says so, and signs by the one algorithm that all have to know (OpenID Connect Core §15.1). */
const isOpenIdProvider = ({ authorizationServer: { scopes, jwksUri, signingAlgorithms } }: McpServer): boolean =>
  scopes?.includes('openid') === true && jwksUri !== undefined && signingAlgorithms?.includes('RS256') === true

const openIdScopes = (known: readonly string[]) => ['openid', 'email'].filter((name) => known.includes(name))

/** How a client with or without a secret authenticates: RFC 8414 §2 takes `client_secret_basic` where nothing is said. */
export function clientAuthenticationAt(
  { clientAuthentications: known = ['client_secret_basic'] }: AuthorizationServer,
  hasSecret: boolean,
): ClientAuthentication {
  if (!hasSecret) return 'none'
  return known.includes('client_secret_basic') || !known.includes('client_secret_post')
    ? 'client_secret_basic'
    : 'client_secret_post'
}

/** What to register as: with a secret where that is possible, because a stolen refresh token is then worth nothing. */
export function authenticationToRegister({
  clientAuthentications: known = ['client_secret_basic'],
}: AuthorizationServer): ClientAuthentication {
  const wanted = ['client_secret_basic', 'client_secret_post', 'none'] as const
  return wanted.find((method) => known.includes(method)) ?? 'none'
}

/**
 * An MCP server is not ours to trust with where a client's secret goes: one that somebody gave us is used only at the issuer
 * that the entry names. Registered clients are of the server that issued them.
 */
export function assertPinned(
  { issuer: pin }: Pick<Profile, 'issuer'>,
  { authorizationServer: { issuer } }: McpServer,
  given: OAuthClient | undefined,
): void {
  const isSafe = pin === undefined ? given === undefined : pin === issuer
  if (!isSafe) throw new DependencyError('mcp_issuer_unexpected', { detail: 'issuer' })
}

type AuthorizationChoice = { scope: string; clientAuthentication: ClientAuthentication }

/** As the config of the link keeps it. */
export function discoveredConfig(server: McpServer, { scope, clientAuthentication }: AuthorizationChoice): Config {
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
    resource,
    scope,
    // RFC 8414 §2: a list that leaves refresh tokens out says that there are none. Without a list nothing is said.
    grant: at.grantTypes?.includes('refresh_token') === false ? 'lasting_access' : undefined,
  } satisfies { [Name in keyof DiscoveredServer]: DiscoveredServer[Name] | undefined }
  return Object.fromEntries(Object.entries(found).filter((entry): entry is [string, string] => entry[1] !== undefined))
}
