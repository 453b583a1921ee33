import { expect, test } from 'vitest'
import { Profile } from '../../../src/contract/integrations/profile.ts'
import { askedInputs, readInputs } from '../../../src/onboarding/domain/catalogue/integration-values.ts'
import { shippedProviders } from '../../../src/onboarding/integrations/catalogue.ts'

const profile = Profile.parse({
  id: 'app',
  displayName: 'App',
  scopes: [{ name: 'read' }],
  account: { from: 'none' },
  inputs: {
    tenant: { label: 'Tenant', pattern: '[a-z]+', default: 'common' },
    shop: { label: 'Shop', pattern: '[a-z]+' },
  },
  endpoints: { authorization: 'https://{shop}.app.example/{tenant}/authorize', token: 'https://app.example/token' },
})

test('the connect page asks for unknown inputs without a default', () => {
  expect(askedInputs(profile, {}).map(([name]) => name)).toEqual(['shop'])
  expect(askedInputs(profile, { shop: 'acme' })).toEqual([])
})

test('an omitted input has its default', () => {
  expect(readInputs(profile, { shop: 'acme' })).toEqual({ config: { tenant: 'common', shop: 'acme' }, problems: [] })
  expect(readInputs(profile, { shop: 'acme', tenant: 'contoso' }).config).toEqual({ tenant: 'contoso', shop: 'acme' })
})

test('an invalid input is rejected and not replaced by its default', () => {
  expect(readInputs(profile, { shop: 'acme', tenant: 'X!' }).problems.map(({ name }) => name)).toEqual(['tenant'])
})

test('the catalogue check uses the default addresses', () => {
  const { addresses } = shippedProviders().find(({ about }) => about.id === 'microsoft') ?? {}

  expect(addresses?.token).toBe('https://login.microsoftonline.com/common/oauth2/v2.0/token')
})

const shop = {
  inputs: { shop: { label: 'Shop name', pattern: '[a-z0-9\\-]+', as: 'label', example: 'acme' } },
  endpoints: {
    authorization: 'https://{shop}.myshop.example/authorize',
    token: 'https://{shop}.myshop.example/token',
  },
} as unknown as typeof profile

test.each(['acme', 'acme.myshop.example', 'https://acme.myshop.example/admin'])(
  '%s is parsed as the shop acme',
  (typed) => {
    expect(readInputs(shop, { shop: typed })).toEqual({ config: { shop: 'acme' }, problems: [] })
  },
)

test.each(['https://acme.other.example', 'my shop!'])('%s is rejected as a shop, with an example', (typed) => {
  expect(readInputs(shop, { shop: typed }).problems).toEqual([
    { name: 'shop', detail: 'is not valid, acme for example' },
  ])
})
