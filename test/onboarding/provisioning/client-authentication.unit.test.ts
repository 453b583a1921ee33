import type { ServerMetadata } from 'openid-client'
import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { Integration } from '../../../src/onboarding/domain/integration.ts'
import { clientAuthentication } from '../../../src/onboarding/provisioning/adapters/openid/client-authentication.ts'

function authenticated(profile: object, { id, secret }: { id: string; secret: string }, body = new URLSearchParams()) {
  const headers = new Headers()
  const authenticate = clientAuthentication(profile as Integration, { id, secret: new Secret(secret) })
  authenticate({} as ServerMetadata, { client_id: id }, body, headers)
  return { headers, body }
}

function basicHeader(id: string, secret: string): string {
  const { headers } = authenticated(
    { clientAuthentication: 'client_secret_basic', refresh: {}, revocation: {} },
    { id, secret },
  )
  return Buffer.from(headers.get('authorization')?.replace('Basic ', '') ?? '', 'base64').toString()
}

test('sends hyphens, dots and underscores of a client ID unencoded, because form encoding keeps them', () => {
  expect(basicHeader('1c2ccb6b-47c1.apps_1', 's3-cr.et_')).toBe('1c2ccb6b-47c1.apps_1:s3-cr.et_')
})

test('encodes characters that would end the client ID early, per RFC 6749 §2.3.1', () => {
  expect(basicHeader('a:b', 'p%q r')).toBe('a%3Ab:p%25q+r')
})

test.each([
  ['authorization_code', ['grant_type', 'client_id', 'client_secret'], false],
  ['refresh_token', ['grant_type'], true],
])('authenticates a request with the grant type %s as the profile says for it', (grant, names, isBasic) => {
  const profile = {
    clientAuthentication: 'client_secret_post',
    refresh: { clientAuthentication: 'client_secret_basic' },
    revocation: {},
  }

  const { headers, body } = authenticated(
    profile,
    { id: 'client-1', secret: 'secret-1' },
    new URLSearchParams({ grant_type: grant }),
  )

  expect([...body.keys()]).toEqual(names)
  expect(headers.has('authorization')).toBe(isBasic)
})

test.each([
  ['token=refresh-1', ['token'], true],
  ['grant_type=authorization_code', ['grant_type', 'client_id', 'client_secret'], false],
  ['grant_type=refresh_token', ['grant_type', 'client_id', 'client_secret'], false],
])('authenticates the request %s as the profile says for a revocation or not', (form, names, isBasic) => {
  const profile = {
    clientAuthentication: 'client_secret_post',
    refresh: {},
    revocation: { clientAuthentication: 'client_secret_basic' },
  }

  const { headers, body } = authenticated(profile, { id: 'client-1', secret: 'secret-1' }, new URLSearchParams(form))

  expect([...body.keys()]).toEqual(names)
  expect(headers.has('authorization')).toBe(isBasic)
})
