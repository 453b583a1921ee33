import { expect, test } from 'vitest'
import { Profile } from '../../../src/contract/integrations/profile.ts'
import { addressesOf, askedInputs, readInputs } from '../../../src/onboarding/domain/catalogue/integration-values.ts'
import type { Integration } from '../../../src/onboarding/domain/integration.ts'
import { shippedCatalogue, shippedProviders } from '../../../src/onboarding/integrations/catalogue.ts'
import { testIntegration } from '../../../src/onboarding/integrations/test-integration.ts'

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

test.each(['live', 'test'])(
  'in %s mode, each app that asks for a part of an address takes the whole address',
  (mode) => {
    const pasted = [...shippedCatalogue().values()].flatMap((entry) => {
      const real = entry.profile() as Integration
      const integration = mode === 'test' ? testIntegration(real, 'https://causeway.example') : real
      return askedInputs(integration, {}).flatMap(([name, { as, example = '' }]) => {
        const from = as === 'host' ? `https://{${name}}` : `https://{${name}}.`
        const address = addressesOf(real).find((each) => each.startsWith(from))
        const host = address?.replace(`{${name}}`, example).split('/')[2]
        return host ? [{ integration, name, example, typed: [host, `${host}/admin`, `https://${host}/a?b=c#d`] }] : []
      })
    })
    const wrong = pasted.flatMap(({ integration, name, example, typed }) =>
      typed.filter((text) => readInputs(integration, { [name]: text }).config[name] !== example),
    )

    expect(pasted.length).toBeGreaterThan(20)
    expect(wrong).toEqual([])
  },
)
