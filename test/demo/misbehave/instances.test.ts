import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { Profile } from '../../../src/contract/integrations/profile.ts'
import { readConfig } from '../../../src/demo/misbehave/config.ts'
import { switchGroups } from '../../../src/demo/misbehave/domain/switch-table.ts'
import { readDocument, tableRows } from '../../architecture/documents.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { plainClient, startProvider } from './plain-client.ts'

const provider = await startProvider()
afterAll(() => provider.close())

const at = (path: string) => plainClient(provider, path)

test('each path is a separate provider', async () => {
  const [one, other] = [at('one'), at('other')]
  const { refresh_token: token } = await one.link()

  await other.control('/switches', 'PATCH', { client_secret: 'expired' })

  expect((await other.refresh(token)).body.error).toBe('invalid_client')
  expect((await one.refresh(token)).status).toBe(200)
  expect((await other.control('', 'GET')).body.grants).toEqual([])
})

test('switches can be changed at runtime, and null resets one', async () => {
  const client = at('changing;rotation=replaces')

  const changed = await client.control('/switches', 'PATCH', { grant_limit: 5, rotation: null })

  expect(changed.body).toEqual({ grant_limit: '5' })
})

test.each([
  ['x;pkec=refused', 'There is no switch "pkec".'],
  ['x;pkce=off', '"pkce" must be required, optional, ignored, refused; it is "off".'],
  ['x;preset=nobody', 'There is no preset "nobody"'],
  ['UPPER', 'must be a name in lower case'],
])('a typo in %s is an error', async (path, message) => {
  const { status, body } = await at(path).control('', 'GET')

  expect(status).toBe(400)
  expect(body.error).toContain(message)
})

test('a self-registered client is known until its lifetime ends', async () => {
  const client = at('dynamic;clients=forgotten;client_lifetime=1h')
  const registered = (await client.postJson('/register', { redirect_uris: ['https://client.example/callback'] })).body
  const as = { client_id: registered.client_id, client_secret: registered.client_secret }

  expect((await client.exchange('junk')).body.error).toBe('invalid_client')
  expect((await client.exchange('junk', as)).body.error).toBe('invalid_grant')
  await client.control('/clock', 'POST', { advanceSeconds: 3_600 })
  expect((await client.exchange('junk', as)).body.error).toBe('invalid_client')
})

test('recorded requests contain no secrets', async () => {
  const client = at('shown')
  const tokens = await client.link()
  await client.refresh(tokens.refresh_token)

  const { text, body } = await client.control('', 'GET')

  expect(body.requests.map(({ endpoint }: { endpoint: string }) => endpoint)).toEqual(['authorize', 'token', 'token'])
  expect(body.requests[2].parameters).toMatchObject({ grant_type: 'refresh_token', refresh_token: '[present]' })
  expect(text).not.toContain(tokens.refresh_token)
  expect(text).not.toContain(client.verifier)
})

test('metadata is below the issuer and, by RFC 8414, before its path', async () => {
  const client = at('metadata;pkce=refused')
  const before = await fetch(`${provider.url}/.well-known/oauth-authorization-server/metadata;pkce=refused`)

  const { body } = await client.send('/.well-known/openid-configuration')

  expect(body).toMatchObject({ issuer: client.base, token_endpoint: `${client.base}/token` })
  expect(body).not.toHaveProperty('code_challenge_methods_supported')
  expect(await before.json()).toEqual(body)
})

test.each([
  ['pkce=refused', { pkce: 'none' }],
  ['errors=atlassian', { clientErrors: [{ error: 'access_denied', status: 401 }] }],
  ['host_input=path', { inputs: { site: { label: 'Site' } } }],
  ['refresh_token=approved', { refreshTokens: 'approved' }],
  ['grant_limit=2', { limits: { liveGrants: 2 } }],
  ['preset=slack', { scopeSeparator: ',', rotation: 'replaces', refreshTokens: 'app_setting' }],
])('%s: /control/integration has the profile that fits', async (path, members) => {
  const { body } = await at(`profile;${path}`).control('/integration', 'GET')

  expect(body.integrations[0]).toMatchObject(members)
  const { clientId: _id, clientSecret: _secret, ...profile } = body.integrations[0]
  expect(Profile.parse(profile)).toMatchObject(members)
})

test('a file adds presets, and its errors are reported at start', () => {
  const file = (content: object) => {
    const path = join(temporaryFolder(), 'presets.json')
    writeFileSync(path, JSON.stringify(content))
    return { MISBEHAVE_PRESETS: path }
  }

  expect(readConfig(file({ crm: { pkce: 'refused', grant_max_age: '7d' } })).presets).toEqual({
    crm: { pkce: 'refused', grant_max_age: 604_800 },
  })
  expect(() => readConfig(file({ crm: { pkce: 'off' } }))).toThrow('"pkce" must be')
})

test('the guide lists every switch with its values', () => {
  const rows = tableRows(readDocument('docs/guides/misbehaving-provider.md'), /^`[a-z_0-9]+`$/)
  const switches = Object.values(switchGroups).flatMap((group) => Object.entries(group))

  expect(rows.map(([name = '', values]) => [name.replaceAll('`', ''), values])).toEqual(
    switches.map(([name, { values }]) => [name, values]),
  )
})
