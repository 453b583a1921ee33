import { expect, test } from 'vitest'
import { Profile } from '../../../src/contract/integrations/profile.ts'
import { refreshRequest } from '../../../src/platform/gateway/adapters/refresh-request.ts'

const profile = (refresh: object) =>
  Profile.parse({
    id: 'paperboat',
    scopesFrom: 'app',
    displayName: 'Paperboat',
    endpoints: { authorization: 'https://paperboat.example/authorize', token: 'https://paperboat.example/token' },
    account: { from: 'none' },
    refresh,
  }) as unknown as Parameters<typeof refreshRequest>[0]

const secrets = { CLIENT_ID: 'client-1', CLIENT_SECRET: 'secret-1', REFRESH_TOKEN: 'refresh-1' }

test('a refresh authenticates the client like the code exchange', () => {
  const { headers, body } = refreshRequest(profile({}), secrets)

  expect(headers).not.toHaveProperty('authorization')
  expect([...new URLSearchParams(body).keys()].sort()).toEqual([
    'client_id',
    'client_secret',
    'grant_type',
    'refresh_token',
  ])
})

test('a refresh authenticates the client as the profile says for refreshes', () => {
  const { headers, body } = refreshRequest(profile({ clientAuthentication: 'client_secret_basic' }), secrets)

  expect(headers.authorization).toBe(`Basic ${Buffer.from('client-1:secret-1').toString('base64')}`)
  expect([...new URLSearchParams(body).keys()].sort()).toEqual(['grant_type', 'refresh_token'])
})
