// An integration of kind `mcp`: a vendor's MCP server, linked by its URL. The OAuth settings are discovered when a link
// starts and stored with the connection, so a grant only goes to the authorization server that issued it.
import { z } from 'zod'
import type { Profile } from './profile-shape.ts'

/** Fits the max length of a connection's config value. */
const maxLength = 1_000
const Found = z.string().min(1).max(maxLength)

/**
 * Stored discovery results, by the names of RFC 8414, RFC 8707 and RFC 7591. `client_id`: of a client that registered
 * itself. `scope`: the requested scope. `grant`: set if the authorization server issues no refresh tokens.
 */
export const DiscoveredServer = z.object({
  issuer: Found,
  authorization_endpoint: Found,
  token_endpoint: Found,
  revocation_endpoint: Found.optional(),
  userinfo_endpoint: Found.optional(),
  jwks_uri: Found.optional(),
  authorization_response_iss_parameter_supported: z.literal('true').optional(),
  token_endpoint_auth_method: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  client_id: Found.optional(),
  resource: Found,
  scope: z.string().max(maxLength),
  grant: z.literal('lasting_access').optional(),
})
export type DiscoveredServer = z.output<typeof DiscoveredServer>

export const discoveredNames: ReadonlySet<string> = new Set(Object.keys(DiscoveredServer.shape))

const addressNames = [
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
] as const

/** Codes, secrets and tokens go there, so the URLs need TLS, except for an MCP server without TLS. */
const hasSafeAddresses = (found: DiscoveredServer, mcpUrl: string): boolean =>
  addressNames.every((name) => found[name] === undefined || isSafeAddress(found[name], mcpUrl))

export function isSafeAddress(address: string, mcpUrl: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password } = new URL(address)
  const isSealed = protocol === 'https:' || (protocol === 'http:' && mcpUrl.startsWith('http:'))
  return isSealed && username === '' && password === ''
}

type McpProfile = Pick<
  Profile,
  | 'mcpUrl'
  | 'issuer'
  | 'endpoints'
  | 'scopes'
  | 'grant'
  | 'account'
  | 'clientAuthentication'
  | 'issuerInCallback'
  | 'authorizationParameters'
  | 'tokenRequest'
  | 'revocation'
  | 'resourceParameter'
>

/** Adds the discovered values of one connection. Returns the profile unchanged if they are missing. */
export function withDiscovered<P extends McpProfile>(profile: P, values: Readonly<Record<string, string>>): P {
  const { mcpUrl } = profile
  if (mcpUrl === undefined) return profile
  const { data: found } = DiscoveredServer.safeParse(values)
  return found && hasSafeAddresses(found, mcpUrl) ? { ...profile, ...discoveredMembers(profile, found) } : profile
}

function discoveredMembers(profile: McpProfile, found: DiscoveredServer) {
  const { account, revocation, tokenRequest } = profile
  const resource = profile.resourceParameter === 'omit' ? {} : { resource: found.resource }
  const scopes = scopesOf(profile, found.scope)
  return {
    issuer: found.issuer,
    endpoints: {
      authorization: found.authorization_endpoint,
      token: found.token_endpoint,
      ...(found.userinfo_endpoint && { userinfo: found.userinfo_endpoint }),
      ...(found.jwks_uri && { jwks: found.jwks_uri }),
    },
    scopes,
    // RFC 6749 §3.3: without scopes, the server uses its default.
    ...(scopes.length === 0 && { scopesFrom: 'app' as const }),
    grant: found.grant ?? profile.grant,
    clientAuthentication: found.token_endpoint_auth_method,
    issuerInCallback: found.authorization_response_iss_parameter_supported === 'true',
    // RFC 8707 §2: in the authorization request and in every token request, including refreshes.
    authorizationParameters: { ...profile.authorizationParameters, ...resource },
    tokenRequest: { ...tokenRequest, extra: { ...tokenRequest.extra, ...resource } },
    revocation: { ...revocation, ...revocationUrl(profile, found) },
    // Only an identity token identifies the account.
    account: account.from === 'id_token' && !isOpenId(scopes) ? { ...account, from: 'none' as const } : account,
  }
}

const revocationUrl = ({ revocation }: McpProfile, { revocation_endpoint: url }: DiscoveredServer) =>
  revocation.url === undefined && url !== undefined ? { url } : {}

/** Discovered scopes that the profile does not list are optional. Verifying the function shows whether they suffice. */
const scopesOf = ({ scopes }: McpProfile, asked: string): Profile['scopes'] =>
  asked
    .split(' ')
    .filter(Boolean)
    .map((name) => scopes.find((scope) => scope.name === name) ?? { name, optional: true })

const isOpenId = (scopes: Profile['scopes']): boolean => scopes.some(({ name }) => name === 'openid')
