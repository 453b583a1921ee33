// RFC 8414 and OpenID Connect Discovery 1.0: what an authorization server says about itself.
import { z } from 'zod'
import { isSafeAddress } from '../../../../contract/integrations/discovered-server.ts'
import type { GuardedFetch } from '../../../../kit/fetch/guarded-fetch.ts'
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

/** `mcpUrl`: no address that is named here may be weaker than the one of the server itself. */
export async function authorizationServer(
  fetch: GuardedFetch,
  issuer: string,
  mcpUrl: string,
): Promise<AuthorizationServer> {
  if (!isSafeAddress(issuer, mcpUrl)) throw unusable('authorization_servers')
  for (const url of wellKnown(issuer)) {
    const metadata = await metadataAt(fetch, url, { schema: Metadata, detail: 'authorization server metadata' })
    if (!metadata) continue
    assertSound(metadata, issuer, mcpUrl)
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
  // RFC 8414 §3.3: metadata of another issuer could be anybody's. A slash at the end is all that may differ.
  if (trimmed(metadata.issuer) !== trimmed(issuer)) throw unusable('issuer')
  const addresses = [
    metadata.authorization_endpoint,
    metadata.token_endpoint,
    metadata.registration_endpoint,
    metadata.revocation_endpoint,
    metadata.userinfo_endpoint,
    metadata.jwks_uri,
  ]
  // Browsers, codes and secrets go there: metadata must not be able to name a script, a file, or a page without TLS.
  const unsafe = addresses.find((address) => address !== undefined && !isSafeAddress(address, mcpUrl))
  if (unsafe !== undefined) throw unusable('an endpoint is not an https address')
  // Without a list the server does not say that it knows PKCE, and a code could be used by whoever sees it.
  if (!metadata.code_challenge_methods_supported?.includes('S256')) throw unusable('no PKCE with S256')
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
  namesIssuer: metadata.authorization_response_iss_parameter_supported === true,
  takesMetadataDocuments: metadata.client_id_metadata_document_supported === true,
})
