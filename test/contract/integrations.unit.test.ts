// Values for gaps in provider URLs, which receive client secrets and tokens.
import { describe, expect, test } from 'vitest'
import {
  acceptedValue,
  filledAddress,
  filledHost,
  isSafeRule,
  labelIn,
  ValueMissing,
} from '../../src/contract/integrations/address-template.ts'
import { filledProfile } from '../../src/contract/integrations/filled-profile.ts'
import { integrationsFile, integrationsFileWithoutClients } from '../../src/contract/integrations/integrations-file.ts'
import { Profile } from '../../src/contract/integrations/profile.ts'

const subdomain = { pattern: '[a-z0-9][a-z0-9\\-]{0,62}', as: 'label' } as const
const host = { pattern: '[a-z0-9\\-]+\\.okta\\.example', as: 'host' } as const

describe('a value that is part of a host', () => {
  test.each([
    ['acme', 'acme'],
    [' Acme ', 'acme'],
    ['a-1', 'a-1'],
  ])('%j is parsed as %s', (given, taken) => {
    expect(acceptedValue(subdomain, given)).toBe(taken)
  })

  test.each([
    '',
    'evil.example',
    'a/b',
    'a@b',
    'a:8080',
    'a#',
    'a?',
    'a\\b',
    'a%2eb',
    'a\u0000',
    'a\nb',
    'ａcme',
    '.',
    '-',
    'x'.repeat(64),
    { toString: () => 'acme' },
    ['acme'],
    null,
  ])('%j is rejected', (given) => {
    expect(acceptedValue(subdomain, given)).toBeUndefined()
  })
})

test.each([
  ['https://acme.myshop.example/admin?x=1', 'acme'],
  ['ACME.myshop.example', 'acme'],
  ['acme.myshop.example/admin', 'acme'],
  ['https://acme.other.example', undefined],
  ['http://acme.myshop.example', undefined],
  ['https://acme.myshop.example:8443', undefined],
  ['https://acme.myshop.example@evil.example', undefined],
  ['acme', undefined],
  ['my shop!', undefined],
])('the URL %j contains the shop %s', (address, shop) => {
  expect(labelIn(address, 'shop', ['https://{shop}.myshop.example/token', 'https://api.example/{shop}'])).toBe(shop)
})

describe('a value that is a whole host', () => {
  test.each([
    ['acme.okta.example', 'acme.okta.example'],
    ['https://acme.okta.example/oauth2', 'acme.okta.example'],
    ['https://acme.okta.example', 'acme.okta.example'],
  ])('%j is parsed as %s', (given, taken) => {
    expect(acceptedValue(host, given)).toBe(taken)
  })

  test.each([
    'http://acme.okta.example',
    'https://acme.okta.example:8443',
    'https://user@acme.okta.example',
    'https://acme.okta.example@evil.example',
    'acme.okta.example.evil.example',
    'evil.example/acme.okta.example',
    'okta.example',
  ])('%j is rejected', (given) => {
    expect(acceptedValue(host, given)).toBeUndefined()
  })
})

describe('an input with a default', () => {
  const withDefault = (given: string) => ({
    id: 'app',
    displayName: 'App',
    scopes: [{ name: 'read' }],
    account: { from: 'none' as const },
    inputs: { tenant: { label: 'Tenant', as: 'text' as const, pattern: '[a-z.]+', default: given } },
    endpoints: {
      authorization: 'https://login.example/{tenant}/authorize',
      token: 'https://login.example/{tenant}/token',
    },
  })
  const tokenAddress = (values: Record<string, string>) =>
    filledProfile(Profile.parse(withDefault('common')), values).endpoints?.token

  test('fills gaps unless another value is given', () => {
    expect(tokenAddress({})).toBe('https://login.example/common/token')
    expect(tokenAddress({ tenant: 'acme.example' })).toBe('https://login.example/acme.example/token')
  })

  test('does not replace an invalid value', () => {
    expect(tokenAddress({ tenant: 'ACME!' })).toBe('https://login.example/{tenant}/token')
  })

  test('is reported with its pattern if that is not a regular expression with the v flag', () => {
    const { inputs, ...others } = withDefault('common')
    const unescaped = { tenant: { ...inputs.tenant, pattern: '[a-z.-]+' } }

    expect(() => Profile.parse({ ...others, inputs: unescaped })).toThrow(
      'must be a regular expression with the v flag',
    )
  })

  test('must match its pattern', () => {
    expect(() => Profile.parse(withDefault('COMMON'))).toThrow('must have a default that matches its pattern')
  })
})

test.each([
  [{ pattern: '.*', as: 'host' }, false],
  [{ pattern: '[a-z.]+', as: 'label' }, false],
  [{ pattern: '[a-z]+|.*', as: 'label' }, false],
  [{ pattern: 'a|[a-z0-9.]+', as: 'host' }, false],
  [subdomain, true],
  [host, true],
] as const)('a profile with the rule %j is safe: %s', (rule, isSound) => {
  expect(isSafeRule(rule)).toBe(isSound)
})

test('encodes a value, except in a host', () => {
  expect(filledAddress('https://{a}.x.example/{b}/c', { a: 'acme', b: '../d e' })).toBe(
    'https://acme.x.example/..%2Fd%20e/c',
  )
  expect(filledHost('{a}.x.example', { a: 'acme' })).toBe('acme.x.example')
  expect(() => filledAddress('https://{a}.x.example/', { a: 'evil.example/' })).toThrow(ValueMissing)
  expect(() => filledAddress('https://{a}.x.example/', {})).toThrow(ValueMissing)
})

const shop = {
  id: 'shop',
  displayName: 'Shop',
  endpoints: { authorization: 'https://{shop}.shop.example/authorize', token: 'https://{shop}.shop.example/token' },
  inputs: { shop: { label: 'Shop', ...subdomain } },
  keep: { fromAnswer: { api: { pattern: 'api\\.[a-z]+\\.shop\\.example', as: 'host' as const } } },
  account: { from: 'inputs' as const, id: 'shop', label: 'shop' },
  scopes: [{ name: 'orders' }],
  apiHosts: ['{api}', '{shop}.shop.example'],
  tools: [
    {
      name: 'get_order',
      description: 'Reads one order.',
      inputSchema: { type: 'object' as const, properties: { id: { type: 'string' } } },
      request: { method: 'GET' as const, url: 'https://{shop}.shop.example/orders/{id}' },
    },
  ],
}

test('fills the host of a scope, which only an input may name', () => {
  const scoped = { ...shop, scopes: [{ name: 'https://{shop}.shop.example/read' }] }
  const filled = filledProfile(Profile.parse(scoped), { shop: 'acme' })

  expect(filled.scopes.map(({ name }) => name)).toEqual(['https://acme.shop.example/read'])
  expect(Profile.safeParse({ ...scoped, scopes: [{ name: '{api}/read' }] }).error?.issues).toMatchObject([
    { path: ['scopes'], message: 'must not have the gap {api}: its value is not known at that point' },
  ])
})

test('fills the host of an issuer, which the token response may not name', () => {
  const identified = { ...shop, issuer: 'https://{shop}.shop.example/', scopes: [{ name: 'openid' }] }
  const filled = filledProfile(Profile.parse(identified), { shop: 'acme' })

  expect(filled.issuer).toBe('https://acme.shop.example/')
  expect(Profile.safeParse({ ...identified, issuer: 'https://{api}/' }).error?.issues).toMatchObject([
    { path: ['issuer'], message: 'must not have the gap {api}: its value is not known at that point' },
  ])
})

test('fills gaps with known values and ignores values that break their rules', () => {
  const profile = Profile.parse(shop)

  const known = filledProfile(profile, { shop: 'acme', api: 'api.eu.shop.example' })
  const forged = filledProfile(profile, { shop: 'evil.example/', api: 'evil.example' })

  expect(known.endpoints?.token).toBe('https://acme.shop.example/token')
  expect(known.apiHosts).toEqual(['api.eu.shop.example', 'acme.shop.example'])
  expect(known.tools[0]?.request.url).toBe('https://acme.shop.example/orders/{id}')
  expect(forged.apiHosts).toEqual([])
  expect(forged.endpoints?.token).toBe(shop.endpoints.token)
})

test.each([
  [
    'a gap in the authorization URL that only the token response fills',
    { endpoints: { authorization: 'https://{api}/a', token: 'https://x.example/t' } },
  ],
  ['a gap without an input', { apiHosts: ['{region}.shop.example'] }],
  [
    'a host filled by tool arguments',
    { tools: [{ ...shop.tools[0], request: { method: 'GET', url: 'https://{id}/' } }] },
  ],
  [
    'an argument with the name of an input',
    { tools: [{ ...shop.tools[0], inputSchema: { type: 'object', properties: { shop: {} } } }] },
  ],
  ['a pattern that matches any host', { inputs: { shop: { label: 'Shop', pattern: '.+' } } }],
  ['refresh tokens that are never issued', { refreshTokens: 'never' }],
  ['an exchange without a request', { grant: 'exchange' }],
  ['a revocation without a URL', { revocation: { style: 'bearer' } }],
])('rejected at start: %s', (_name, change) => {
  expect(Profile.safeParse({ ...shop, ...change }).success).toBe(false)
})

const getOrder = shop.tools[0]
const at = (url: string) => ({ tools: [{ ...getOrder, request: { method: 'GET', url } }] })

test.each([
  ['a host outside apiHosts', at('https://127.0.0.1:21050/{id}'), '127.0.0.1:21050 is not in apiHosts'],
  ['the same host on another port', at('https://api.shop.example:8443/{id}'), /:8443 is not in apiHosts/],
  ['plain http', at('http://api.shop.example/{id}'), /must not be http:/],
  ['a credential', at('https://me:secret@api.shop.example/{id}'), 'must not contain credentials'],
])('a tool at %s is rejected at start, with its location', (_name, change, message) => {
  const { error } = Profile.safeParse({ ...shop, apiHosts: ['api.shop.example'], ...change })

  expect(error?.issues).toMatchObject([
    { path: ['tools', '0', 'request', 'url'], message: expect.stringMatching(message) },
  ])
})

test.each([
  ['onboarding', integrationsFile],
  ['the platform', integrationsFileWithoutClients],
])('%s reports the entry of the file', (_program, fileOf) => {
  const entry = { ...shop, ...at('https://127.0.0.1:21050/{id}'), apiHosts: [], clientId: 'x', clientSecret: 'y' }

  const { error } = fileOf(new Map()).safeParse({ integrations: [entry] })

  expect(error?.issues.map(({ path, message }) => `/${path.join('/')}: ${message}`)).toEqual([
    '/integrations/0/tools/0/request/url: 127.0.0.1:21050 is not in apiHosts',
  ])
})

test('a tool at a host with a gap is checked when it is called', () => {
  const apiHosts = ['{shop}.shop.example']

  expect(Profile.safeParse({ ...shop, apiHosts }).success).toBe(true)
  expect(Profile.safeParse({ ...shop, apiHosts, ...at('https://eu.shop.example/{id}') }).success).toBe(true)
  expect(Profile.safeParse({ ...shop, apiHosts, ...at('https://elsewhere.example/{id}') }).success).toBe(false)
})

test('a health check without a required argument of its tool is rejected at start', () => {
  const tools = [{ ...getOrder, inputSchema: { ...getOrder?.inputSchema, required: ['id'] } }]
  const parsed = (health: object) => Profile.safeParse({ ...shop, tools, health: { tool: 'get_order', ...health } })

  expect(parsed({ arguments: { id: '1' } }).success).toBe(true)
  expect(parsed({}).error?.issues).toMatchObject([
    { path: ['health', 'arguments'], message: 'must include id: the tool requires it' },
  ])
})
