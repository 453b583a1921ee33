import { describe, expect, test } from 'vitest'
import { reservedAuthorizationParameters } from '../../../src/contract/integrations/oauth.ts'
import { missingScopes, usesOpenId } from '../../../src/onboarding/domain/scopes.ts'
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

describe('scopes that were needed and not granted', () => {
  test.each<[string, string[] | undefined, string[]]>([
    ['nothing was said: granted as asked (RFC 6749 §5.1)', undefined, []],
    ['all of them', ['files.read', 'files.write', 'files.share'], []],
    ['in another order, with more', ['other', 'files.write', 'files.read'], []],
    ['without the optional one', ['files.read', 'files.write'], []],
    ['without those that shape the sign-in', ['files.read', 'files.write'], []],
    ['one of two', ['files.read'], ['files.write']],
    ['none', [], ['files.read', 'files.write']],
    ['another letter case is another scope', ['FILES.READ', 'files.write'], ['files.read']],
    ['a longer name is another scope', ['files.readonly', 'files.write'], ['files.read']],
  ])('%s', (_name, granted, missing) => {
    expect(missingScopes(files, granted)).toEqual(missing)
  })
})

test('OpenID is used where its scope is asked for', () => {
  expect(usesOpenId(files)).toBe(true)
  expect(usesOpenId({ ...files, scopes: [{ name: 'files.read' }] })).toBe(false)
})

test('products of the catalogue set no parameter that the flow sets', () => {
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

test('an integration of a deployment’s own is taken as data', () => {
  expect(parse(own).success).toBe(true)
})

test.each(reservedAuthorizationParameters)('a profile that sets %s is refused at the start', (name) => {
  expect(parse({ ...own, authorizationParameters: { [name]: 'x' } }).success).toBe(false)
  expect(parse({ ...own, forceConsentParameters: { [name]: 'x' } }).success).toBe(false)
})

test.each(['', 'A', 'a/b', '../x', 'a b', 'a%2e', '-a', 'a-', 'a'.repeat(33), 'ä'])(
  'case 32, path injection: %j is no id of an integration, so it gets into no path and no name',
  (id) => {
    expect(parse({ ...own, id }).success).toBe(false)
  },
)

test.each(['file:///etc/passwd', 'javascript:alert(1)', 'own.example', ''])('%j is no issuer', (issuer) => {
  expect(parse({ ...own, issuer }).success).toBe(false)
})
