import { expect, test } from 'vitest'
import { refreshTokenFinding } from '../../../../src/onboarding/domain/doctor/refresh-tokens.ts'
import type { Integration } from '../../../../src/onboarding/domain/integration.ts'
import { catalogue } from '../../../../src/onboarding/integrations/catalogue.ts'
import { readIntegrations } from '../../../../src/onboarding/integrations/integrations-file.ts'

const client = { clientId: 'client-1', clientSecret: 'a secret' }

function found(entry: object) {
  const configured = readIntegrations().parse({ integrations: [{ ...entry, ...client }] })
  const [integration] = catalogue(configured, 'https://connect.example').configured()
  return refreshTokenFinding(integration as Integration, undefined)
}

const scopes = [{ name: 'Mail.Read' }]

/** Microsoft’s cloud of China. */
const endpoints = {
  authorization: 'https://login.chinacloudapi.cn/common/oauth2/v2.0/authorize',
  token: 'https://login.chinacloudapi.cn/common/oauth2/v2.0/token',
  userinfo: 'https://microsoftgraph.chinacloudapi.cn/v1.0/me',
}

test.each([
  ['with its ID', { profile: 'outlook-mail', scopes }],
  ['with another ID', { id: 'mail', profile: 'outlook-mail', scopes }],
  ['with another ID and another cloud', { id: 'mail', profile: 'outlook-mail', scopes, endpoints }],
])('an entry that overrides the scopes of Outlook %s lacks offline_access', (_, entry) => {
  expect(found(entry)).toMatchObject({ verdict: 'wrong', evidence: expect.stringContaining('offline_access') })
})

test('an entry that keeps the scopes of Outlook asks for refresh tokens', () => {
  expect(found({ profile: 'outlook-mail' }).verdict).not.toBe('wrong')
})
