import type { ServerMetadata } from 'openid-client'
import { expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import type { Integration } from '../../../src/onboarding/domain/integration.ts'
import { clientAuthentication } from '../../../src/onboarding/provisioning/adapters/openid/client-authentication.ts'

function basicHeader(id: string, secret: string): string {
  const integration = { clientAuthentication: 'client_secret_basic' } as Integration
  const headers = new Headers()
  const authenticate = clientAuthentication(integration, { id, secret: new Secret(secret) })
  authenticate({} as ServerMetadata, { client_id: id }, new URLSearchParams(), headers)
  return Buffer.from(headers.get('authorization')?.replace('Basic ', '') ?? '', 'base64').toString()
}

test('sends hyphens, dots and underscores of a client ID unencoded, because form encoding keeps them', () => {
  expect(basicHeader('1c2ccb6b-47c1.apps_1', 's3-cr.et_')).toBe('1c2ccb6b-47c1.apps_1:s3-cr.et_')
})

test('encodes characters that would end the client ID early, per RFC 6749 §2.3.1', () => {
  expect(basicHeader('a:b', 'p%q r')).toBe('a%3Ab:p%25q+r')
})
