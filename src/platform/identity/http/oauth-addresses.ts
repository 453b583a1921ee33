// The addresses of the authorization server, for the OpenAPI document.
import {
  AuthorizationRequest,
  ClientRegistration,
  ClientRegistrationRequest,
  DeviceAnswer,
  DeviceRequest,
  Discovery,
  Jwks,
  TokenAnswer,
  TokenRequest,
} from '../../../contract/identity/oauth.ts'
import type { OAuthAddress } from '../../shared/http/openapi/rules.ts'

const discovery: OAuthAddress[] = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'].map(
  (path) => ({
    method: 'get',
    path,
    summary: 'Read the metadata of the authorization server',
    description: 'Where everything of it is, and what it can do (OpenID Connect Discovery 1.0, RFC 8414).',
    answers: { 200: Discovery },
  }),
)

export const oauthAddresses: readonly OAuthAddress[] = [
  ...discovery,
  {
    method: 'get',
    path: '/oauth/jwks',
    summary: 'Read the keys that tokens are signed with',
    description: 'A JSON Web Key Set (RFC 7517).',
    answers: { 200: Jwks },
  },
  {
    method: 'get',
    path: '/oauth/authorize',
    summary: 'Ask a person for permission',
    description: 'In a browser, which comes back to `redirect_uri` with a code (RFC 6749, section 4.1; RFC 7636).',
    query: AuthorizationRequest,
    answers: { 303: undefined },
  },
  {
    method: 'post',
    path: '/oauth/token',
    summary: 'Get a token',
    description: 'By form or by JSON (RFC 6749, section 3.2).',
    body: TokenRequest,
    answers: { 200: TokenAnswer },
  },
  {
    method: 'post',
    path: '/oauth/register',
    summary: 'Register an app that asks people for the tools of functions',
    description: 'Dynamic client registration (RFC 7591), for MCP clients.',
    body: ClientRegistrationRequest,
    answers: { 201: ClientRegistration },
  },
  {
    method: 'post',
    path: '/oauth/device/code',
    summary: 'Begin the device flow',
    description: 'A code for a person to enter in a browser elsewhere (RFC 8628).',
    body: DeviceRequest,
    answers: { 200: DeviceAnswer },
  },
]
