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
  return staticFindings(subject, { blockedHosts: [], openInputs: [], sameApp }).find(
    ({ check }) => check === 'redirect_uri',
  )
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

type Case = {
  client?: { id: string; secret: Secret<string> | undefined } | undefined
  more?: object
  blockedHosts?: string[]
  openInputs?: string[]
}

const verdictOf = (check: string, { more = {}, blockedHosts = [], openInputs = [], ...given }: Case) => {
  const own = 'client' in given ? given.client : client
  const integration = { ...profile({ id: 'jira', displayName: 'Jira', ...more }), client: own, about: undefined }
  const subject = { integration: integration as Integration, client: own, tenant: undefined, redirectUri: ours }
  return staticFindings(subject, { blockedHosts, openInputs, sameApp: [] }).find((each) => each.check === check)
    ?.verdict
}
const withSecret = (secret: string | undefined) => ({
  client: { id: 'client-1', secret: secret ? new Secret(secret) : undefined },
})
const publicClient = { clientAuthentication: 'none' }

test.each<[check: string, of: string, given: Case, verdict: string | undefined]>([
  ['client', 'one that is configured', {}, 'ok'],
  ['client', 'none', { client: undefined }, 'wrong'],
  ['client', 'an id with white space', { client: { id: 'client 1', secret: undefined } }, 'wrong'],
  ['client', 'the placeholder of an example', { client: { id: 'your-client-id', secret: undefined } }, 'wrong'],
  ['client_secret', 'one that is configured', {}, 'ok'],
  ['client_secret', 'none', withSecret(undefined), 'wrong'],
  ['client_secret', 'the client id', withSecret('client-1'), 'wrong'],
  ['client_secret', 'one with a line break behind it', withSecret('a secret\n'), 'wrong'],
  ['client_secret', 'the placeholder of an example', withSecret('changeme'), 'wrong'],
  ['client_secret', 'none, of a public client', { ...withSecret(undefined), more: publicClient }, 'ok'],
  ['client_secret', 'one that is not used', { more: publicClient }, 'inconclusive'],
  ['client_secret', 'that of no client', { client: undefined }, undefined],
  ['addresses', 'public ones', {}, 'ok'],
  ['addresses', 'a private one', { blockedHosts: ['10.0.0.1'] }, 'wrong'],
  ['addresses', 'one that an input is part of', { openInputs: ['site'] }, 'inconclusive'],
  ['refresh_tokens', 'an app that always issues them', { more: { refreshTokens: 'always' } }, 'ok'],
  ['refresh_tokens', 'an app that issues them when asked', { more: { refreshTokens: 'asked' } }, 'ok'],
  ['refresh_tokens', 'a setting of the app', { more: { refreshTokens: 'app_setting' } }, 'inconclusive'],
  ['refresh_tokens', 'an approval', { more: { refreshTokens: 'approved' } }, 'inconclusive'],
  ['refresh_tokens', 'none needed', { more: { grant: 'lasting_access', refreshTokens: 'never' } }, 'ok'],
])('%s: %s', (check, _, given, verdict) => {
  expect(verdictOf(check, given)).toBe(verdict)
})
