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
  const about = { callbackRules, sources: [{ name: 'its page' }] } as Integration['about']
  const integration = { ...profile({ id: 'jira', displayName: 'Jira' }), client, about }
  const subject = { integration, client, tenant: undefined, redirectUri }
  return staticFindings(subject, { blockedHosts: [], openInputs: [], sameApp, latestLink: undefined }).find(
    ({ check }) => check === 'redirect_uri',
  )
}

const ours = 'https://link.example/oauth/callback/jira'
const local = 'http://localhost:3000/oauth/callback/jira'

test.each([
  ['any app', ours, {}, 'ok'],
  ['any app, on a local machine', local, {}, 'inconclusive'],
  ['an app that only accepts https', ours, { httpsOnly: true }, 'ok'],
  ['an app that only accepts https, on a local machine', local, { httpsOnly: true }, 'wrong'],
  ['an app that accepts one', ours, { onePerApp: true }, 'ok'],
] as const)('checks the redirect URI at %s', (_, redirectUri, rules, verdict) => {
  expect(redirectUriFinding(redirectUri, rules)?.verdict).toBe(verdict)
})

test('two integrations of one client cannot share an app with a single redirect URI', () => {
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
  about?: Partial<NonNullable<Integration['about']>>
  /** The profile of the catalogue, which `more` overrides. */
  shipped?: object
  isLinked?: boolean
}

const find = (check: string, { more = {}, blockedHosts = [], openInputs = [], ...given }: Case) => {
  const own = 'client' in given ? given.client : client
  const about = given.about as Integration['about']
  const named = { id: 'jira', displayName: 'Jira' }
  const shipped = () => profile({ ...named, ...more, ...given.shipped })
  const integration = { ...profile({ ...named, ...more }), client: own, about, shipped }
  const subject = { integration: integration as Integration, client: own, tenant: undefined, redirectUri: ours }
  const at = new Date('2026-11-16T12:00:00Z')
  const latestLink = given.isLinked ? { state: 'linked' as const, cause: undefined, at } : undefined
  const facts = { blockedHosts, openInputs, sameApp: [], latestLink }
  return staticFindings(subject, facts).find((each) => each.check === check)
}
const verdictOf = (check: string, given: Case) => find(check, given)?.verdict
const withSecret = (secret: string | undefined) => ({
  client: { id: 'client-1', secret: secret ? new Secret(secret) : undefined },
})
const sourced = { sources: [{ name: 'its page', confirms: ['refreshTokens' as const] }] }
const unsourced = { sources: [{ name: 'its page' }] }
const publicClient = { clientAuthentication: 'none' }

test.each<[check: string, of: string, given: Case, verdict: string | undefined]>([
  ['client', 'a configured ID', {}, 'ok'],
  ['client', 'none', { client: undefined }, 'wrong'],
  ['client', 'an ID with white space', { client: { id: 'client 1', secret: undefined } }, 'wrong'],
  ['client', 'a placeholder ID from an example', { client: { id: 'your-client-id', secret: undefined } }, 'wrong'],
  ['client_secret', 'a configured secret', {}, 'ok'],
  ['client_secret', 'none', withSecret(undefined), 'wrong'],
  ['client_secret', 'the client ID as secret', withSecret('client-1'), 'wrong'],
  ['client_secret', 'a secret with a trailing line break', withSecret('a secret\n'), 'wrong'],
  ['client_secret', 'a placeholder secret from an example', withSecret('changeme'), 'wrong'],
  ['client_secret', 'no secret, for a public client', { ...withSecret(undefined), more: publicClient }, 'ok'],
  ['client_secret', 'an unused secret', { more: publicClient }, 'inconclusive'],
  ['client_secret', 'no client', { client: undefined }, undefined],
  ['addresses', 'public ones', {}, 'ok'],
  ['addresses', 'a private one', { blockedHosts: ['10.0.0.1'] }, 'wrong'],
  ['addresses', 'one with an input', { openInputs: ['site'] }, 'inconclusive'],
  ['refresh_tokens', 'always, by a source', { more: { refreshTokens: 'always' }, about: sourced }, 'ok'],
  ['refresh_tokens', 'always, by no source', { more: { refreshTokens: 'always' }, about: unsourced }, 'inconclusive'],
  ['refresh_tokens', 'always, by the deployment', { more: { refreshTokens: 'always' } }, 'inconclusive'],
  ['refresh_tokens', 'asked, by a source', { more: { refreshTokens: 'asked' }, about: sourced }, 'ok'],
  ['refresh_tokens', 'asked, by the deployment', { more: { refreshTokens: 'asked' } }, 'inconclusive'],
  ['refresh_tokens', 'a link that received one', { more: { refreshTokens: 'asked' }, isLinked: true }, 'ok'],
  ['refresh_tokens', 'a setting of the app', { more: { refreshTokens: 'app_setting' } }, 'inconclusive'],
  ['refresh_tokens', 'an approval', { more: { refreshTokens: 'approved' } }, 'inconclusive'],
  ['refresh_tokens', 'none needed', { more: { grant: 'lasting_access', refreshTokens: 'never' } }, 'ok'],
])('%s: %s', (check, _, given, verdict) => {
  expect(verdictOf(check, given)).toBe(verdict)
})

test.each([
  ['the scope offline_access', { scopes: [{ name: 'Mail.Read' }, { name: 'offline_access' }] }],
  ['the scope offline.access', { scopes: [{ name: 'tweet.read' }, { name: 'offline.access' }] }],
  ['the parameter token_access_type=offline', { authorizationParameters: { token_access_type: 'offline' } }],
  ['the parameter duration=permanent', { authorizationParameters: { duration: 'permanent' } }],
])('an entry without %s, which the profile sends, gets no refresh tokens', (lacking, shipped) => {
  const more = { refreshTokens: 'asked', scopes: [{ name: 'Mail.Read' }], authorizationParameters: {} }

  const found = find('refresh_tokens', { more, shipped, about: sourced, isLinked: true })

  expect(found).toMatchObject({ verdict: 'wrong', cause: 'no_refresh_token', remedy: { whoseMove: 'operator' } })
  expect(found?.evidence).toContain(lacking)
  expect(found?.remedy?.advice).toContain(lacking)
})
