// What the authorization server answers to programs, as the document of the platform tells it.
import {
  AuthorizationRequest,
  DeviceAnswer,
  DeviceRequest,
  TokenAnswer,
  TokenRequest,
} from '../../../contract/identity/oauth.ts'
import type { OAuthAddress } from '../../shared/http/openapi-operations.ts'

export const oauthAddresses: readonly OAuthAddress[] = [
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
