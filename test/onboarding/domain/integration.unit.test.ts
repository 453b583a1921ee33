import { describe, expect, test } from 'vitest'
import { reservedAuthorizationParameters } from '../../../src/contract/integrations/oauth.ts'
import { accessOf, missingScopes, onlyKeepsAccess, usesOpenId } from '../../../src/onboarding/domain/scopes.ts'
import { shippedCatalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { readIntegrations } from '../../../src/onboarding/integrations/integrations-file.ts'
import { profile } from '../../../src/onboarding/integrations/profile.ts'

const files = profile({
  id: 'files',
  displayName: 'Files',
  description: '',
  scopes: [
    { name: 'openid' },
    { name: 'email' },
    { name: 'offline_access' },
    { name: 'files.read' },
    { name: 'files.write' },
    { name: 'files.share', optional: true },
  ],
})

describe('missing required scopes', () => {
  test.each<[string, string[] | undefined, string[]]>([
    ['omitted scope: granted as requested (RFC 6749 §5.1)', undefined, []],
    ['all scopes granted', ['files.read', 'files.write', 'files.share'], []],
    ['in another order, with extra scopes', ['other', 'files.write', 'files.read'], []],
    ['without the optional one', ['files.read', 'files.write'], []],
    ['without sign-in scopes', ['files.read', 'files.write'], []],
    ['one of two', ['files.read'], ['files.write']],
    ['none', [], ['files.read', 'files.write']],
    ['scopes are case-sensitive', ['FILES.READ', 'files.write'], ['files.read']],
    ['a longer scope name is another scope', ['files.readonly', 'files.write'], ['files.read']],
  ])('%s', (_name, granted, missing) => {
    expect(missingScopes(files, granted)).toEqual(missing)
  })
})

test('requests OpenID if its scope is requested', () => {
  expect(usesOpenId(files)).toBe(true)
  expect(usesOpenId({ ...files, scopes: [{ name: 'files.read' }] })).toBe(false)
})

test.each([
  ['read', 'See and download your files'],
  ['read', 'Read posts and comments'],
  ['read', 'See the Pages you manage'],
  ['write', 'Read, change and send mail'],
  ['write', 'Send mail in your name'],
  ['delete', 'See, change and delete all your files'],
  ['admin', 'See and manage your Google Ads accounts'],
])('%s access: %s', (access, description) => {
  expect(accessOf({ name: 'scope', description })).toBe(access)
})

test('a scope of the catalogue whose name says read or write is shown as such', () => {
  const scopes = [...shippedCatalogue().values()].flatMap((entry) => {
    const { scopes, optionalScopes } = entry.profile()
    return [...scopes, ...optionalScopes].filter((scope) => scope.description && !onlyKeepsAccess(scope))
  })
  const saysRead = ({ name }: { name: string }) => /readonly$|[.:_|]read$|^read[:_](?!write)/i.test(name)
  const saysWrite = ({ name }: { name: string }) => /write|send|create|delete/i.test(name)
  const wrong = scopes.filter((scope) => accessOf(scope) === (saysRead(scope) ? 'write' : saysWrite(scope) && 'read'))

  expect(wrong).toEqual([])
})

test('catalogue products set no parameter that the flow sets', () => {
  const profiles = [...shippedCatalogue().values()].map((entry) => entry.profile())
  const wrong = profiles.filter(({ authorizationParameters, forceConsentParameters }) =>
    Object.keys({ ...authorizationParameters, ...forceConsentParameters }).some((name) =>
      reservedAuthorizationParameters.includes(name),
    ),
  )

  expect(wrong.map(({ id }) => id)).toEqual([])
})

const own = {
  id: 'own',
  displayName: 'Own',
  issuer: 'https://own.example',
  clientId: 'client',
  clientSecret: 'secret',
  scopes: [{ name: 'openid' }, { name: 'files.read' }],
}
const parse = (entry: object) => readIntegrations().safeParse({ integrations: [entry] })

test('accepts a deployment’s own integration as data', () => {
  expect(parse(own).success).toBe(true)
})

test.each(reservedAuthorizationParameters)('rejects a profile that sets %s at start', (name) => {
  expect(parse({ ...own, authorizationParameters: { [name]: 'x' } }).success).toBe(false)
  expect(parse({ ...own, forceConsentParameters: { [name]: 'x' } }).success).toBe(false)
})

test.each(['', 'A', 'a/b', '../x', 'a b', 'a%2e', '-a', 'a-', 'a'.repeat(33), 'ä'])(
  'case 32, path injection: rejects %j as the ID of an integration, so it never gets into a path or name',
  (id) => {
    expect(parse({ ...own, id }).success).toBe(false)
  },
)

test.each(['file:///etc/passwd', 'javascript:alert(1)', 'own.example', ''])('rejects %j as an issuer', (issuer) => {
  expect(parse({ ...own, issuer }).success).toBe(false)
})
