import { expect, test } from 'vitest'
import { shippedProfile } from '../../src/contract/integrations/catalogue.ts'
import { Profile } from '../../src/contract/integrations/profile.ts'

const least = {
  id: 'least',
  displayName: 'Least',
  issuer: 'https://least.example',
  scopes: [{ name: 'openid' }],
}

test.each([
  ['only required fields', {}],
  [
    'some fields of every group',
    { tokenRequest: { format: 'json' }, revocation: { reach: 'token' }, api: { tokenPrefix: '' } },
  ],
  [
    'an input and stored values',
    {
      inputs: { shop: { label: 'Shop', pattern: '[a-z]+' } },
      keep: { fromAnswer: { base: { pattern: 'v[0-9]', as: 'text' } }, fromCallback: { realm: { pattern: '[0-9]+' } } },
    },
  ],
  [
    'an exchange and limits',
    {
      grant: 'exchange',
      refreshTokens: 'never',
      exchange: { grantType: 'long', tokenParameter: 'short', url: 'https://least.example/long' },
      limits: { liveGrants: 5 },
    },
  ],
] as const)('a profile with %s is the same with and without its schema', (_name, more) => {
  const input = { ...least, ...more } as Parameters<typeof shippedProfile>[0]

  expect(shippedProfile(input)).toEqual(Profile.parse(input))
})
