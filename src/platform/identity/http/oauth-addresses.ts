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
    summary: 'Read where everything of the authorization server is, and what it can do',
    answers: { 200: Discovery },
  }),
)

export const oauthAddresses: readonly OAuthAddress[] = [
  ...discovery,
  {
    method: 'get',
    path: '/oauth/jwks',
    summary: 'Read the keys that tokens are signed with',
    answers: { 200: Jwks },
  },
  {
    method: 'get',
    path: '/oauth/authorize',
    summary: 'Ask a person for permission, in a browser that comes back to redirect_uri',
    query: AuthorizationRequest,
    answers: { 303: undefined },
  },
  {
    method: 'post',
    path: '/oauth/token',
    summary: 'Get a token, by form or by JSON',
    body: TokenRequest,
    answers: { 200: TokenAnswer },
  },
  {
    method: 'post',
    path: '/oauth/register',
    summary: 'Register an app that asks people for the tools of functions',
    body: ClientRegistrationRequest,
    answers: { 201: ClientRegistration },
  },
  {
    method: 'post',
    path: '/oauth/device/code',
    summary: 'Begin the device flow',
    body: DeviceRequest,
    answers: { 200: DeviceAnswer },
  },
]
