import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../src/onboarding/config.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

const own = {
  id: 'own',
  displayName: 'Own',
  issuer: 'https://own.example',
  clientId: 'x',
  scopes: [{ name: 'openid' }],
}

describe('the support console', () => {
  test('is off without a client or an issuer, including empty values from a compose file', () => {
    expect(readConfig(env({})).console).toBeUndefined()
    expect(readConfig(env({ CONSOLE_ISSUER: '', CONSOLE_CLIENT_ID: '', CONSOLE_CLIENT_SECRET: '' })).console).toBe(
      undefined,
    )
  })

  test.each(['CONSOLE_CLIENT_ID', 'CONSOLE_CLIENT_SECRET'])('uses the platform as issuer if only %s is set', (name) => {
    expect(readConfig(env({ [name]: 'given' })).console?.issuer).toBe('https://platform.example:8443')
  })

  test('uses the configured issuer verbatim', () => {
    const { console } = readConfig(env({ CONSOLE_ISSUER: 'https://login.example/realms/acme/' }))

    expect(console).toMatchObject({ issuer: 'https://login.example/realms/acme/', clientId: 'causeway-console' })
  })
})

describe('trace and log viewers', () => {
  test('accept URLs with a placeholder', () => {
    const given = {
      TRACE_URL_TEMPLATE: 'https://t.example/{trace}?a=b#c',
      LOGS_URL_TEMPLATE: 'http://l.example/?q={link}',
    }

    expect(readConfig(env(given)).viewers).toEqual({ trace: given.TRACE_URL_TEMPLATE, logs: given.LOGS_URL_TEMPLATE })
    expect(readConfig(env({})).viewers).toEqual({ trace: undefined, logs: undefined })
  })

  test.each([
    ['TRACE_URL_TEMPLATE', 'https://t.example/', 'must contain {trace}'],
    ['TRACE_URL_TEMPLATE', 'https://t.example/{link}', 'must contain {trace}'],
    ['LOGS_URL_TEMPLATE', 'javascript:alert({link})', 'must be an http(s) address'],
    ['LOGS_URL_TEMPLATE', 'https://me:hush@l.example/{link}', 'must be an http(s) address'],
  ])('%s is rejected as %s', (name, value, words) => {
    expect(() => readConfig(env({ [name]: value }))).toThrow(words)
  })
})

describe('the audit export to a webhook', () => {
  const secret = (bytes: number) => `whsec_${randomBytes(bytes).toString('base64')}`
  const url = 'https://audit.example/causeway'
  const reading = (given: Record<string, string>) => () => readConfig(env(given)).auditExport.webhook

  test('is off by default, and takes a list of secrets', () => {
    const AUDIT_EXPORT_WEBHOOK_SECRETS = `${secret(24)}, ${secret(64)}`

    expect(reading({})()).toBeUndefined()
    expect(reading({ AUDIT_EXPORT_WEBHOOK_URL: url, AUDIT_EXPORT_WEBHOOK_SECRETS })()?.secrets).toHaveLength(2)
  })

  test.each([
    ['the address alone', { AUDIT_EXPORT_WEBHOOK_URL: url }, /AUDIT_EXPORT_WEBHOOK_SECRETS: is missing/],
    ['the secret alone', { AUDIT_EXPORT_WEBHOOK_SECRETS: secret(32) }, /AUDIT_EXPORT_WEBHOOK_URL: is missing/],
    ['a short secret', { AUDIT_EXPORT_WEBHOOK_SECRETS: secret(16) }, /SECRETS: must be a list of whsec_/],
    ['a secret without its prefix', { AUDIT_EXPORT_WEBHOOK_SECRETS: 'c2VjcmV0' }, /SECRETS: must be a list of whsec_/],
    ['an address with a query', { AUDIT_EXPORT_WEBHOOK_URL: `${url}?token=x` }, /URL: must not have a query/],
    [
      'http in production',
      { NODE_ENV: 'production', AUDIT_EXPORT_WEBHOOK_URL: 'http://audit.example' },
      /AUDIT_EXPORT_WEBHOOK_URL: must be https/,
    ],
  ])('rejects %s', (_what, given, words) => {
    expect(reading(given as Record<string, string>)).toThrow(words)
  })
})

test.each(['https://help.example/linking', 'mailto:help@acme.example'])('SUPPORT_URL may be %s', (supportUrl) => {
  expect(readConfig(env({ SUPPORT_URL: supportUrl })).supportUrl).toBe(supportUrl)
})

test('SUPPORT_URL may not be a script', () => {
  expect(() => readConfig(env({ SUPPORT_URL: 'javascript:alert(1)' }))).toThrow('must be an https or mailto address')
})

describe('S13: in production', () => {
  const key = randomBytes(32).toString('hex')
  const production = (given: Record<string, string>) => () =>
    readConfig(env({ NODE_ENV: 'production', PUBLIC_URL: 'https://connect.example', ...given }))

  test.each<[string, Record<string, string>, RegExp]>([
    [
      'an encryption key of zeros',
      { ENCRYPTION_KEYS: `a:${'0'.repeat(64)}` },
      /ENCRYPTION_KEYS: holds a key that is not random/,
    ],
    [
      'an encryption key of one repeated letter',
      { ENCRYPTION_KEYS: `a:${'a'.repeat(43)}` },
      /ENCRYPTION_KEYS: holds a key that is not/,
    ],
    ['one key under two ids', { ENCRYPTION_KEYS: `a:${key},b:${key}` }, /the same key under two ids/],
    [
      'a signing key that is also an encryption key',
      { ENCRYPTION_KEYS: `a:${key}`, SIGNING_KEY: key },
      /SIGNING_KEY: must not be/,
    ],
    ['a signing key of zeros', { SIGNING_KEY: '0'.repeat(64) }, /SIGNING_KEY: is not random/],
    ['plain http', { PUBLIC_URL: 'http://connect.example' }, /PUBLIC_URL: must be https in production/],
    ['no Redis', { REDIS_URL: 'memory:' }, /REDIS_URL: memory: forgets/],
    ['all addresses as trusted proxies', { TRUST_PROXY: '0.0.0.0/0' }, /TRUST_PROXY: covers all addresses/],
    ['all IPv6 addresses as trusted proxies', { TRUST_PROXY: '::/0' }, /TRUST_PROXY: covers all addresses/],
    [
      'all mapped IPv4 addresses as trusted proxies',
      { TRUST_PROXY: '::ffff:0:0/96' },
      /TRUST_PROXY: covers all addresses/,
    ],
    ['T8: a platform over http', { PLATFORM_URL: 'http://platform.example/v0' }, /PLATFORM_URL: must be https/],
    [
      'T8: functions over http',
      { PLATFORM_FUNCTION_ORIGINS: 'http://run.example' },
      /PLATFORM_FUNCTION_ORIGINS: must be/,
    ],
    ['T8: sign-in over http', { CONSOLE_ISSUER: 'http://login.example' }, /CONSOLE_ISSUER: must be https/],
  ])('reports %s by name', (_what, given, sentence) => {
    expect(production(given)).toThrow(sentence)
  })

  test('allows loopback without TLS in production, and everything in development', () => {
    expect(production({ PUBLIC_URL: 'http://localhost:3000' })().publicUrl).toBe('http://localhost:3000')
    expect(readConfig(env({ PUBLIC_URL: 'http://connect.example', REDIS_URL: 'memory:' })).redisUrl).toBe('memory:')
  })

  test('T8: allows http for a listed container host, and for no other', () => {
    const given = { PLATFORM_URL: 'http://platform:3000/v0', INSECURE_HTTP_HOSTS: 'platform' }

    expect(production(given)().platform.baseUrl).toBe('http://platform:3000/v0')
    expect(production({ ...given, INSECURE_HTTP_HOSTS: '.platform,plat' })).toThrow(/PLATFORM_URL: must be https/)
  })

  test('rejects a truncated hex signing key in any mode', () => {
    for (const lost of [1, 2]) {
      expect(() => readConfig(env({ SIGNING_KEY: key.slice(lost) }))).toThrow(/SIGNING_KEY: is hex with too few/)
    }
  })
})

describe('a health check by refresh', () => {
  const withFile = (entry: object, given: Record<string, string> = {}) => {
    const file = join(temporaryFolder(), 'integrations.json')
    writeFileSync(file, JSON.stringify({ integrations: [{ ...own, health: { by: 'refresh' }, ...entry }] }))
    return () => readConfig(env({ INTEGRATIONS_FILE: file, ...given }))
  }

  test('requires the rotation setting', () => {
    expect(withFile({})).toThrow(/rotation: is required/)
  })

  test('is rejected if tokens rotate and the platform refreshes them too', () => {
    expect(withFile({ rotation: 'replaces' })).toThrow(/own rotates refresh tokens.*PLATFORM_REFRESHES=false/)
  })

  test.each([
    ['tokens do not rotate', { rotation: 'none' }, {}],
    ['the platform does not refresh them', { rotation: 'replaces' }, { PLATFORM_REFRESHES: 'false' }],
  ])('is allowed if %s', (_, entry, given) => {
    expect(withFile(entry, given)().integrations[0]?.profile.health.by).toBe('refresh')
  })
})

describe('O1: a profile without a health tool', () => {
  const healthOf = (entry: object) => {
    const file = join(temporaryFolder(), 'integrations.json')
    writeFileSync(file, JSON.stringify({ integrations: [entry] }))
    return readConfig(env({ INTEGRATIONS_FILE: file })).integrations[0]?.profile.health
  }
  const shipped = { profile: 'gmail', clientId: 'c', clientSecret: 's' }

  test.each([
    ['is checked by refresh if tokens do not rotate', { ...own, rotation: 'none' }, { by: 'refresh' }],
    ['is not checked by refresh if tokens rotate', { ...own, rotation: 'replaces' }, { by: 'function' }],
    ['is not checked by refresh if rotation is unknown', own, { by: 'function' }],
    ['keeps its interval', { ...own, health: { everySeconds: 600 } }, { by: 'function', everySeconds: 600 }],
    [
      'keeps the shipped health check if only the interval is set',
      { ...shipped, health: { everySeconds: 600 } },
      { by: 'function', tool: 'search_messages', arguments: { maxResults: 1 }, everySeconds: 600 },
    ],
  ])('%s', (_, entry, expected) => {
    expect(healthOf(entry)).toEqual(expected)
  })
})

describe('rejects integrations that parse but would fail every link', () => {
  const endpoints = { authorization: 'https://own.example/authorize', token: 'https://own.example/token' }
  const reading = (...entries: object[]) => {
    const file = join(temporaryFolder(), 'integrations.json')
    writeFileSync(file, JSON.stringify({ integrations: entries.map((entry) => ({ ...own, ...entry })) }))
    return () => readConfig(env({ INTEGRATIONS_FILE: file }))
  }

  test.each([
    ['no way to identify the account', { scopes: [{ name: 'files' }] }, /0\/scopes: must include openid/],
    [
      'a duplicate scope',
      { scopes: [{ name: 'openid' }, { name: 'openid' }] },
      /0\/scopes: must not contain duplicates/,
    ],
    [
      'a scope that contains the separator',
      { scopes: [{ name: 'openid' }, { name: 'a,b' }], scopeSeparator: ',' },
      /0\/scopes: must not contain the scopeSeparator/,
    ],
    [
      'an account from userinfo without a userinfo endpoint',
      { endpoints, account: { from: 'userinfo' } },
      /0\/endpoints: must include userinfo/,
    ],
    ['ID tokens without an issuer', { endpoints, issuer: undefined }, /0\/issuer: is required with endpoints/],
    [
      'a response mode other than query',
      { authorizationParameters: { response_mode: 'form_post' } },
      /0\/authorizationParameters: must not set .*response_mode/,
    ],
  ])('%s', (_, entry, words) => {
    expect(reading(entry)).toThrow(words)
  })

  test('two integrations with one ID', () => {
    expect(reading({}, { clientId: 'y' })).toThrow(/integrations\/1\/id: is already used/)
  })

  test('a shipped profile with scopes that do not identify the account', () => {
    const file = join(temporaryFolder(), 'integrations.json')
    const gmail = { profile: 'gmail', clientId: 'x', clientSecret: 'y', scopes: [{ name: 'mail' }] }
    writeFileSync(file, JSON.stringify({ integrations: [gmail] }))

    expect(() => readConfig(env({ INTEGRATIONS_FILE: file }))).toThrow(/0\/scopes: must include openid/)
  })

  test.each([
    ['without OpenID if it needs no account', { scopes: [{ name: 'files' }], account: { from: 'none' } }],
    ['with endpoints and an issuer', { endpoints }],
    ['with only an issuer, and the account from a discovered endpoint', { account: { from: 'userinfo' } }],
  ])('accepts an integration %s', (_, entry) => {
    expect(reading(entry)().integrations).toHaveLength(1)
  })
})

describe('address lists', () => {
  const key = randomBytes(32).toString('hex')

  test.each([
    ['EGRESS_ALLOW', 'http://idp.internal:8080', /EGRESS_ALLOW: must be a list of host:port/],
    ['EGRESS_ALLOW', 'idp.internal', /EGRESS_ALLOW: must be a list of host:port/],
    ['TRUST_PROXY', 'balancer', /TRUST_PROXY: must be a list of addresses/],
    ['ENCRYPTION_KEYS', `k1:${key},k1:${randomBytes(32).toString('hex')}`, /ENCRYPTION_KEYS: .*a different id/],
  ])('%s=%s is reported at start', (name, value, words) => {
    expect(() => readConfig(env({ [name]: value }))).toThrow(words)
  })

  test('may contain spaces and commas', () => {
    const config = readConfig(env({ EGRESS_ALLOW: 'idp:8080, [::1]:443', TRUST_PROXY: 'loopback 10.0.0.0/8,fd00::/8' }))

    expect(config.egressAllow).toEqual(['idp:8080', '[::1]:443'])
    expect(config.trustProxy).toEqual(['loopback', '10.0.0.0/8', 'fd00::/8'])
    expect(readConfig(env({})).trustProxy).toEqual(['loopback'])
  })
})

const env = (given: Record<string, string>) => ({
  PUBLIC_URL: 'https://connect.example',
  DATABASE_URL: 'postgres://localhost/onboarding',
  REDIS_URL: 'redis://localhost',
  ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('hex')}`,
  SIGNING_KEY: randomBytes(32).toString('hex'),
  PLATFORM_URL: 'https://platform.example:8443/v0',
  PLATFORM_API_KEY: 'a-key',
  ...given,
})
