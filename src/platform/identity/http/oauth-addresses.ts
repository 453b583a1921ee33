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
    description: 'Its endpoints and capabilities (OpenID Connect Discovery 1.0, RFC 8414).',
    answers: { 200: Discovery },
  }),
)

export const oauthAddresses: readonly OAuthAddress[] = [
  ...discovery,
  {
    method: 'get',
    path: '/oauth/jwks',
    summary: 'Read the public signing keys',
    description: 'A JSON Web Key Set (RFC 7517).',
    answers: { 200: Jwks },
  },
  {
    method: 'get',
    path: '/oauth/authorize',
    summary: 'Request authorization from a user',
    description: 'Opened in a browser, which returns to `redirect_uri` with a code (RFC 6749 §4.1, RFC 7636).',
    query: AuthorizationRequest,
    answers: { 303: undefined },
  },
  {
    method: 'post',
    path: '/oauth/token',
    summary: 'Get a token',
    description: 'As a form or JSON (RFC 6749 §3.2).',
    body: TokenRequest,
    answers: { 200: TokenAnswer },
  },
  {
    method: 'post',
    path: '/oauth/register',
    summary: 'Register an app that requests access to functions',
    description: 'Dynamic client registration (RFC 7591), for MCP clients.',
    body: ClientRegistrationRequest,
    answers: { 201: ClientRegistration },
  },
  {
    method: 'post',
    path: '/oauth/device/code',
    summary: 'Start the device flow',
    description: 'Returns a code that the user enters in another browser (RFC 8628).',
    body: DeviceRequest,
    answers: { 200: DeviceAnswer },
  },
]
