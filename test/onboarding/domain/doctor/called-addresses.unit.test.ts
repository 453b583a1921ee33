import { expect, test } from 'vitest'
import {
  blockedHosts,
  calledTemplates,
  integrationsReport,
} from '../../../../src/onboarding/domain/doctor/called-addresses.ts'
import type { Integration } from '../../../../src/onboarding/domain/integration.ts'
import { profile } from '../../../../src/onboarding/integrations/profile.ts'

const app = (id: string, given: object = {}): Integration => ({
  ...profile({ id, displayName: id, issuer: 'https://app.example', scopes: [{ name: 'openid' }], ...given }),
  client: undefined,
})

const inner = { issuer: 'https://crm.internal' }
const mayCall = (address: string) => !address.includes('internal')

test('checks every URL that the server calls, and none that only a browser opens', () => {
  const all = app('all', {
    endpoints: {
      authorization: 'https://app.example/authorize',
      token: 'https://app.example/token',
      userinfo: 'https://app.example/userinfo',
      jwks: 'https://app.example/jwks',
    },
    refresh: { url: 'https://app.example/refresh' },
    exchange: { grantType: 'long', tokenParameter: 'token', url: 'https://app.example/exchange' },
    revocation: { style: 'rfc7009', url: 'https://app.example/revoke' },
  })

  expect(calledTemplates(all).map((address) => new URL(address).pathname)).toEqual([
    '/token',
    '/userinfo',
    '/jwks',
    '/exchange',
    '/refresh',
    '/revoke',
  ])
})

test('checks a templated URL once its inputs are known', () => {
  const endpoints = { authorization: 'https://{site}.internal/a', token: 'https://{site}.internal/t' }
  const inputs = { site: { label: 'Site', pattern: '[a-z]{1,20}' } }
  const given = { issuer: undefined, account: { from: 'none' }, scopes: [{ name: 'all' }], endpoints, inputs }

  expect(blockedHosts(app('gaps', given), mayCall)).toEqual([])
})

test('readiness warns of an integration whose URL is blocked, without showing the URL', () => {
  const { ready, warnings } = integrationsReport([app('files'), app('crm', inner)], mayCall)

  expect([ready, warnings.length]).toEqual([true, 1])
  expect(warnings[0]).toMatch(/the integration crm is not called.*EGRESS_ALLOW/)
  expect(warnings[0]).not.toContain('internal')
})
