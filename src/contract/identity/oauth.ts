// Requests and responses of the authorization server (RFC 6749, 7636 and 8628). They may have more members.
import { z } from 'zod'

const text = z.string()

export const AuthorizationRequest = z.looseObject({
  client_id: text,
  response_type: z.literal('code'),
  redirect_uri: z.url(),
  code_challenge: text,
  code_challenge_method: z.literal('S256'),
  /** Defaults to all scopes allowed to the client. */
  scope: text.optional(),
  state: text.optional(),
  nonce: text.optional(),
  /** RFC 8707: the URL of the platform or of a function's MCP server. */
  resource: z.url().optional(),
})

const ClientCredentials = z.looseObject({
  client_id: text.optional(),
  client_secret: text.optional(),
  /** RFC 7523 §2.2: for clients with a metadata document whose method is `private_key_jwt`. */
  client_assertion_type: text.optional(),
  client_assertion: text.optional(),
})

export const TokenRequest = z.discriminatedUnion('grant_type', [
  ClientCredentials.extend({ grant_type: z.literal('client_credentials'), scope: text.optional() }),
  ClientCredentials.extend({
    grant_type: z.literal('authorization_code'),
    code: text,
    redirect_uri: z.url(),
    code_verifier: text,
  }),
  ClientCredentials.extend({
    grant_type: z.literal('refresh_token'),
    refresh_token: text,
    scope: text.optional(),
  }),
  ClientCredentials.extend({
    grant_type: z.literal('urn:ietf:params:oauth:grant-type:device_code'),
    device_code: text,
  }),
  /** Enterprise-managed login: an ID-JAG of a company's identity provider (RFC 7523 §2.1). */
  ClientCredentials.extend({
    grant_type: z.literal('urn:ietf:params:oauth:grant-type:jwt-bearer'),
    assertion: text.max(8_192),
    scope: text.optional(),
    resource: z.url().optional(),
  }),
])

export const TokenAnswer = z.looseObject({
  access_token: text,
  token_type: z.literal('Bearer'),
  expires_in: z.int(),
  scope: text.optional(),
  refresh_token: text.optional(),
  id_token: text.optional(),
})

export const DeviceRequest = ClientCredentials.extend({ scope: text.optional() })

export const DeviceAnswer = z.looseObject({
  device_code: text,
  user_code: text,
  verification_uri: z.url(),
  verification_uri_complete: z.url().optional(),
  expires_in: z.int(),
  interval: z.int().optional(),
})

/** OpenID Connect Discovery 1.0 §3 and RFC 8414 §2: the members that clients read first. */
export const Discovery = z.looseObject({
  issuer: z.url(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  device_authorization_endpoint: z.url(),
  jwks_uri: z.url(),
  scopes_supported: z.array(text),
  grant_types_supported: z.array(text),
  authorization_grant_profiles_supported: z.array(text).optional(),
  code_challenge_methods_supported: z.array(text),
})

/** RFC 7591 §2: the members that are read. */
export const ClientRegistrationRequest = z.looseObject({
  redirect_uris: z.array(text),
  client_name: text.optional(),
})

export const ClientRegistration = z.looseObject({
  client_id: text,
  client_id_issued_at: z.int(),
  client_name: text,
  redirect_uris: z.array(text),
  grant_types: z.array(text),
  response_types: z.array(text),
  token_endpoint_auth_method: z.literal('none'),
})
export type ClientRegistration = z.infer<typeof ClientRegistration>

export const ProtectedResource = z.object({
  resource: z.url(),
  authorization_servers: z.array(z.url()),
  scopes_supported: z.array(text),
  bearer_methods_supported: z.array(text),
})
export type ProtectedResource = z.infer<typeof ProtectedResource>

export const Jwks = z.looseObject({ keys: z.array(z.looseObject({ kty: text, kid: text, alg: text, use: text })) })

export const OAuthError = z.looseObject({ error: text, error_description: text.optional() })
export type OAuthError = z.infer<typeof OAuthError>
