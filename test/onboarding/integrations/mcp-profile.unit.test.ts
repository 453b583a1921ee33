// Integrations of kind `mcp`: their entry in the file, and what discovery adds per connection.
import { describe, expect, test } from 'vitest'
import type { DiscoveredServer } from '../../../src/contract/integrations/discovered-server.ts'
import { filledProfile } from '../../../src/contract/integrations/filled-profile.ts'
import { Profile } from '../../../src/contract/integrations/profile.ts'
import { readIntegrations as linkingFile } from '../../../src/onboarding/integrations/integrations-file.ts'
import { readIntegrations as platformFile } from '../../../src/platform/gateway/integrations/catalogue.ts'

const entry = { id: 'notes', displayName: 'Notes', mcpUrl: 'https://mcp.notes.example/mcp' }

const found = {
  issuer: 'https://login.notes.example',
  authorization_endpoint: 'https://login.notes.example/authorize',
  token_endpoint: 'https://login.notes.example/token',
  revocation_endpoint: 'https://login.notes.example/revoke',
  token_endpoint_auth_method: 'none',
  resource: 'https://mcp.notes.example/mcp',
  scope: 'notes:read offline_access',
} satisfies DiscoveredServer

describe('an entry of the integrations file', () => {
  test('needs an ID, a name and an address, for both programs', () => {
    const file = { integrations: [entry] }

    const [linking] = linkingFile().parse(file)
    const [platform] = platformFile().parse(file)

    expect(linking?.client).toBeUndefined()
    expect(linking?.profile.mcpUrl).toBe(entry.mcpUrl)
    expect(platform).toMatchObject({ mcpUrl: entry.mcpUrl, toolChanges: 'hold' })
  })

  test('may have a complete client', () => {
    const pinned = { ...entry, issuer: found.issuer }
    const [own] = linkingFile().parse({ integrations: [{ ...pinned, clientId: 'c1', clientSecret: 's1' }] })
    const broken = linkingFile().safeParse({ integrations: [{ ...pinned, clientSecret: 's1' }] })

    expect(own?.client?.id).toBe('c1')
    expect(broken.success).toBe(false)
  })

  test('must name the issuer of its client, so that the secret is sent only there', () => {
    const read = linkingFile().safeParse({ integrations: [{ ...entry, clientId: 'c1', clientSecret: 's1' }] })

    expect(read.error?.issues).toMatchObject([
      { path: ['integrations', 0, 'issuer'], message: expect.stringContaining('is required with mcpUrl') },
    ])
  })

  test.each([
    ['an invalid address', { mcpUrl: 'notes.example' }],
    ['an address with a password', { mcpUrl: 'https://user:word@notes.example/mcp' }],
    ['a fragment', { mcpUrl: 'https://notes.example/mcp#tools' }],
    ['an invalid issuer', { issuer: 'login.notes.example' }],
    ['hosts beside the address', { apiHosts: ['api.notes.example'] }],
    ['a gap without an input', { mcpUrl: 'https://{team}.notes.example/mcp' }],
    ['no resource at any issuer', { resourceParameter: 'omit' }],
    ['unlisted PKCE at any issuer', { pkceMetadata: 'optional' }],
    ['an input with a name of discovery', { inputs: { issuer: { label: 'Team', pattern: '[a-z]{1,20}' } } }],
  ])('is rejected with %s', (_, change) => {
    expect(Profile.safeParse({ ...entry, ...change }).success).toBe(false)
  })

  test('is rejected without a client for all other kinds', () => {
    const other = { id: 'mail', displayName: 'Mail', issuer: 'https://mail.example', scopes: [{ name: 'openid' }] }

    expect(linkingFile().safeParse({ integrations: [other] }).success).toBe(false)
  })
})

describe('discovered metadata', () => {
  const profile = Profile.parse(entry)

  test('fills the fields that other kinds have in their profile', () => {
    const filled = filledProfile(profile, found)

    expect(filled).toMatchObject({
      issuer: found.issuer,
      endpoints: { authorization: found.authorization_endpoint, token: found.token_endpoint },
      scopes: [
        { name: 'notes:read', optional: true },
        { name: 'offline_access', optional: true },
      ],
      clientAuthentication: 'none',
      grant: 'refresh',
      authorizationParameters: { resource: found.resource },
      tokenRequest: { extra: { resource: found.resource } },
      revocation: { style: 'rfc7009', url: found.revocation_endpoint },
      account: { from: 'none' },
    })
  })

  test('leaves out the resource for a server that rejects it', () => {
    const filled = filledProfile(Profile.parse({ ...entry, issuer: found.issuer, resourceParameter: 'omit' }), found)

    expect([filled.authorizationParameters.resource, filled.tokenRequest.extra.resource]).toEqual([
      undefined,
      undefined,
    ])
  })

  test('keeps the scopes and the account of the file', () => {
    const worded = Profile.parse({ ...entry, scopes: [{ name: 'notes:read', description: 'See your notes' }] })

    const filled = filledProfile(worded, { ...found, scope: 'openid notes:read' })

    expect(filled.scopes).toEqual([
      { name: 'openid', optional: true },
      { name: 'notes:read', description: 'See your notes' },
    ])
    expect(filled.account.from).toBe('id_token')
  })

  test('sends no scope if none was found', () => {
    expect(filledProfile(profile, { ...found, scope: '' })).toMatchObject({ scopes: [], scopesFrom: 'app' })
  })

  test.each([
    ['token_endpoint', 'http://login.notes.example/token'],
    ['authorization_endpoint', 'javascript:alert(1)'],
    ['revocation_endpoint', 'https://user:word@login.notes.example/revoke'],
    ['issuer', 'login.notes.example'],
    ['token_endpoint_auth_method', 'private_key_jwt'],
    ['resource', ''],
  ])('is rejected with a %s of %s', (name, value) => {
    expect(filledProfile(profile, { ...found, [name]: value })).toBe(profile)
  })

  test('fills the inputs of an address, and changes nothing of other kinds', () => {
    const inputs = { team: { label: 'Team', pattern: '[a-z]{1,20}' } }
    const templated = Profile.parse({ ...entry, mcpUrl: 'https://{team}.notes.example/mcp', inputs })
    const other = Profile.parse({
      id: 'mail',
      displayName: 'Mail',
      issuer: 'https://mail.example',
      scopes: [{ name: 'openid' }],
    })

    expect(filledProfile(templated, { team: 'acme' }).mcpUrl).toBe('https://acme.notes.example/mcp')
    expect(filledProfile(other, found)).toBe(other)
  })
})
