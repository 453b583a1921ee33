import { expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { staticFindings } from '../../../../src/onboarding/domain/doctor/static-checks.ts'
import type { Integration } from '../../../../src/onboarding/domain/integration.ts'
import { profile } from '../../../../src/onboarding/integrations/profile.ts'

const client = { id: 'client-1', secret: new Secret('a secret') }

function redirectUriFinding(
  redirectUri: string,
  callbackRules: NonNullable<Integration['about']>['callbackRules'],
  sameApp: string[] = [],
) {
  const about = { callbackRules } as Integration['about']
  const integration = { ...profile({ id: 'jira', displayName: 'Jira' }), client, about }
  const subject = { integration, client, tenant: undefined, redirectUri }
  return staticFindings(subject, { blockedHosts: [], sameApp }).find(({ check }) => check === 'redirect_uri')
}

const ours = 'https://link.example/oauth/callback/jira'
const local = 'http://localhost:3000/oauth/callback/jira'

test.each([
  ['any app', ours, {}, 'ok'],
  ['any app, on this machine', local, {}, 'inconclusive'],
  ['an app that takes https alone', ours, { httpsOnly: true }, 'ok'],
  ['an app that takes https alone, on this machine', local, { httpsOnly: true }, 'wrong'],
  ['an app that takes one', ours, { onePerApp: true }, 'ok'],
] as const)('the redirect URI at %s', (_, redirectUri, rules, verdict) => {
  expect(redirectUriFinding(redirectUri, rules)?.verdict).toBe(verdict)
})

test('two integrations of one client cannot both be registered where an app has one redirect URI', () => {
  expect(redirectUriFinding(ours, { onePerApp: true }, ['confluence'])).toMatchObject({
    verdict: 'wrong',
    cause: 'redirect_uri_rejected',
    evidence: expect.stringContaining('confluence'),
  })
  expect(redirectUriFinding(ours, {}, ['confluence'])?.verdict).toBe('ok')
})
