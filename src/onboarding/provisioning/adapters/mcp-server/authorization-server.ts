import { z } from 'zod'
import { isSafeAddress } from '../../../../contract/integrations/discovered-server.ts'
import type { ResolvingFetch } from '../../../../kit/fetch/guarded-fetch.ts'
import type { AuthorizationServer } from '../../../domain/mcp/mcp-server.ts'
import { metadataAt, unusable } from './metadata-document.ts'

const Url = z.string().max(1_000)
const Names = z.array(z.string().max(200)).max(1_000)

const Metadata = z.looseObject({
  issuer: Url,
  authorization_endpoint: Url,
  token_endpoint: Url,
  registration_endpoint: Url.optional(),
  revocation_endpoint: Url.optional(),
  userinfo_endpoint: Url.optional(),
  jwks_uri: Url.optional(),
  scopes_supported: Names.optional(),
  grant_types_supported: Names.optional(),
  token_endpoint_auth_methods_supported: Names.optional(),
  code_challenge_methods_supported: Names.optional(),
  id_token_signing_alg_values_supported: Names.optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
})
type Metadata = z.infer<typeof Metadata>

export async function authorizationServer(
  fetch: ResolvingFetch,
  issuer: string,
  mcpUrl: string,
): Promise<AuthorizationServer> {
  if (!isSafeAddress(issuer, mcpUrl)) throw unusable('authorization_servers')
  for (const url of wellKnown(issuer)) {
    const metadata = await metadataAt(fetch, url, { schema: Metadata, detail: 'authorization server metadata' })
    if (!metadata) continue
    assertSound(metadata, issuer, mcpUrl)
    await assertPublic(fetch, metadata)
    return toServer(metadata)
  }
  throw unusable('no authorization server metadata')
}

/** RFC 8414 §3.1 puts the well-known path before that of the issuer; OpenID Connect Discovery §4.1 after it. */
function wellKnown(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  const oauth = `${origin}/.well-known/oauth-authorization-server${path}`
  const openid = `${origin}/.well-known/openid-configuration`
  return path === '' ? [oauth, openid] : [oauth, openid + path, `${origin}${path}/.well-known/openid-configuration`]
}

function assertSound(metadata: Metadata, issuer: string, mcpUrl: string): void {
  // RFC 8414 §3.3: the issuer has to match. Only a trailing slash may differ.
  if (trimmed(metadata.issuer) !== trimmed(issuer)) throw unusable('issuer')
  const addresses = [
    metadata.authorization_endpoint,
    metadata.token_endpoint,
    metadata.registration_endpoint,
    metadata.revocation_endpoint,
    metadata.userinfo_endpoint,
    metadata.jwks_uri,
  ]
  // Browsers, codes and secrets go there: metadata must not name a script, a file or a page without TLS.
  const unsafe = addresses.find((address) => address !== undefined && !isSafeAddress(address, mcpUrl))
  if (unsafe !== undefined) throw unusable('an endpoint is not an https address')
  if (metadata.code_challenge_methods_supported?.includes('S256') === false) throw unusable('no PKCE with S256')
}

const calledEndpoints = [
  'token_endpoint',
  'registration_endpoint',
  'revocation_endpoint',
  'userinfo_endpoint',
  'jwks_uri',
] as const

/** Checked before the user consents: the code would be blocked on its way to the token endpoint. */
async function assertPublic(fetch: ResolvingFetch, metadata: Metadata): Promise<void> {
  const checks = calledEndpoints.map(async (name) => ({
    name,
    isPublic: metadata[name] === undefined || (await fetch.maySend(metadata[name])),
  }))
  const blocked = (await Promise.all(checks)).find(({ isPublic }) => !isPublic)
  if (blocked) throw unusable(`${blocked.name}: blocked`)
}

const trimmed = (address: string): string => address.replace(/\/$/, '')

const toServer = (metadata: Metadata): AuthorizationServer => ({
  issuer: metadata.issuer,
  authorizationEndpoint: metadata.authorization_endpoint,
  tokenEndpoint: metadata.token_endpoint,
  registrationEndpoint: metadata.registration_endpoint,
  revocationEndpoint: metadata.revocation_endpoint,
  userinfoEndpoint: metadata.userinfo_endpoint,
  jwksUri: metadata.jwks_uri,
  scopes: metadata.scopes_supported,
  grantTypes: metadata.grant_types_supported,
  clientAuthentications: metadata.token_endpoint_auth_methods_supported,
  signingAlgorithms: metadata.id_token_signing_alg_values_supported,
  listsPkce: metadata.code_challenge_methods_supported !== undefined,
  namesIssuer: metadata.authorization_response_iss_parameter_supported === true,
  takesMetadataDocuments: metadata.client_id_metadata_document_supported === true,
})
