// The addresses of the authorization server, for the OpenAPI document.
import {
  AuthorizationRequest,
  DeviceAnswer,
  DeviceRequest,
  Discovery,
  Jwks,
  TokenAnswer,
  TokenRequest,
} from '../../../contract/identity/oauth.ts'
import type { OAuthAddress } from '../../shared/http/openapi/operations.ts'

const discovery: OAuthAddress[] = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'].map(
  (path) => ({
    method: 'get',
    path,
    summary: 'Read where everything of the authorization server is, and what it can do',
    schemas: { answer: Discovery },
  }),
)

export const oauthAddresses: readonly OAuthAddress[] = [
  ...discovery,
  {
    method: 'get',
    path: '/oauth/jwks',
    summary: 'Read the keys that tokens are signed with',
    schemas: { answer: Jwks },
  },
  {
    method: 'get',
    path: '/oauth/authorize',
    summary: 'Ask a person for permission, in a browser that comes back to redirect_uri',
    schemas: { query: AuthorizationRequest },
  },
  {
    method: 'post',
    path: '/oauth/token',
    summary: 'Get a token, by form or by JSON',
    schemas: { body: TokenRequest, answer: TokenAnswer },
  },
  {
    method: 'post',
    path: '/oauth/device/code',
    summary: 'Begin the device flow',
    schemas: { body: DeviceRequest, answer: DeviceAnswer },
  },
]
