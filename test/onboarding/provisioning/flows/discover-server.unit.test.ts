import { beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import type { Config } from '../../../../src/onboarding/domain/link.ts'
import { issuerCallback, issuerKey } from '../../../../src/onboarding/domain/mcp/registered-client.ts'
import {
  causeIfForgotten,
  discoverServer,
  noteWorking,
} from '../../../../src/onboarding/provisioning/flows/discover-server.ts'
import { findClient } from '../../../../src/onboarding/tenants/flows/find-client.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { authorizationServer, notesIssuer } from '../../../support/memory/mcp-servers.ts'
import { byBrowser, type MemoryWorld, notes, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld({ others: [notes] })
})

const discover = (more: { config?: Config; before?: string; publicUrl?: string } = {}) => {
  const { publicUrl = 'https://connect.example', ...about } = more
  const integration = world.integrations.find('notes')!
  const asked = { integration, tenant: 'acme', config: {}, actor: byBrowser, ...about }
  return discoverServer(world, { publicUrl }, asked)
}
const clientOf = async (config: Config) => {
  const { client } = await findClient(world, { tenant: 'acme', integration: 'notes', config })
  return client.id
}
const pinned = { ...notes, issuer: notesIssuer }
const bringOwn = () => {
  const own = { id: 'own-1', secret: new Secret('own secret') }
  return world.tenants.putOwnClient('acme', 'notes', own, auditEntry('tenant.oauth_client_put'))
}
const callback = issuerCallback(issuerKey(notesIssuer))
const documentUrl = `https://connect.example/oauth/clients/${issuerKey(notesIssuer)}`
const takesDocuments = { authorizationServer: authorizationServer({ takesMetadataDocuments: true }) }

test('discovered metadata completes the integration', async () => {
  const config = await discover()
  const { integration } = await findClient(world, { tenant: 'acme', integration: 'notes', config })

  expect(integration).toMatchObject({
    issuer: notesIssuer,
    endpoints: { token: `${notesIssuer}/token` },
    clientAuthentication: 'client_secret_basic',
    tokenRequest: { extra: { resource: 'https://mcp.notes.example/mcp' } },
    scopes: [{ name: 'notes:read' }],
  })
})

test.each([
  ['required', 'mcp_metadata_unusable'],
  ['optional', undefined],
] as const)('checks PKCE metadata with pkceMetadata: %s', async (pkceMetadata, cause) => {
  world = await openMemoryWorld({ others: [{ ...notes, issuer: notesIssuer, pkceMetadata }] })
  world.mcpServers.says({ authorizationServer: authorizationServer({ listsPkce: false }) })

  const found = await discover().catch((error) => error)

  expect(found.cause).toBe(cause)
})

test('other kinds of integrations need no discovery', async () => {
  world.mcpServers.discover = () => Promise.reject(new Error('nobody is to be asked'))
  const integration = world.integrations.find('files')!
  const asked = { integration, tenant: 'acme', config: { team: 'a' }, actor: byBrowser }

  expect(await discoverServer(world, world.settings, asked)).toEqual({ team: 'a' })
})

describe('the client', () => {
  test('is registered once, however many links start', async () => {
    const configs = [await discover(), await discover(), await discover()]

    expect(await Promise.all(configs.map(clientOf))).toEqual(['registered-1', 'registered-1', 'registered-1'])
    expect(world.mcpServers.registrations).toHaveLength(1)
    expect(world.actions().filter((action) => action === 'oauth_client.registered')).toHaveLength(1)
  })

  test('is our metadata document if the server supports it', async () => {
    world.mcpServers.says(takesDocuments)

    const config = await discover()

    expect(await clientOf(config)).toBe(documentUrl)
    expect(config.token_endpoint_auth_method).toBe('none')
    expect(world.mcpServers.registrations).toEqual([])
  })

  test('is registered if our document is not available over TLS', async () => {
    world.mcpServers.says(takesDocuments)

    expect(await clientOf(await discover({ publicUrl: 'http://127.0.0.1:3000' }))).toBe('registered-1')
  })

  test('is the tenant’s own if it has one, and nothing is registered', async () => {
    world = await openMemoryWorld({ others: [pinned] })
    await bringOwn()

    const config = await discover()

    expect(await clientOf(config)).toBe('own-1')
    expect(config.token_endpoint_auth_method).toBe('client_secret_basic')
    expect(world.mcpServers.registrations).toEqual([])
  })

  test('of the tenant is not sent to an issuer that only the MCP server names', async () => {
    const before = await discover()
    await bringOwn()

    await expect(discover()).rejects.toMatchObject({ cause: 'mcp_issuer_unexpected', detail: 'issuer' })
    expect(await clientOf(before)).toBe('registered-1')
  })

  test('of the tenant is not used for a connection to an issuer other than the entry’s', async () => {
    const elsewhere = { ...(await discover()), issuer: 'https://evil.example' }
    world = await openMemoryWorld({ others: [pinned] })
    await bringOwn()

    await expect(clientOf(elsewhere)).rejects.toMatchObject({ code: 'integration_unavailable' })
  })

  test.each(['brought', 'registered'])('that is %s is only sent to the issuer of the entry', async (way) => {
    world = await openMemoryWorld({ others: [pinned] })
    if (way === 'brought') await bringOwn()
    world.mcpServers.says({ authorizationServer: authorizationServer({ issuer: 'https://evil.example' }) })

    await expect(discover()).rejects.toMatchObject({ cause: 'mcp_issuer_unexpected', detail: 'issuer' })
    expect(world.mcpServers.registrations).toEqual([])
  })

  test('is registered again immediately if it has worked before the server forgot it', async () => {
    const config = await discover()
    const ready = await findClient(world, { tenant: 'acme', integration: 'notes', config })
    await noteWorking(world, ready)

    const causes = [await causeIfForgotten(world, ready, 'client_rejected')]
    const next = [await discover(), await discover()]
    causes.push(await causeIfForgotten(world, ready, 'client_rejected'))

    expect(causes).toEqual(['client_forgotten', 'client_forgotten'])
    expect(await Promise.all([...next, await discover()].map(clientOf))).toEqual(Array(3).fill('registered-2'))
    expect(world.actions().filter((action) => action === 'oauth_client.forgotten')).toHaveLength(1)
  })

  test('is not registered again immediately at a server that forgot it before it worked', async () => {
    const config = await discover()
    const ready = await findClient(world, { tenant: 'acme', integration: 'notes', config })
    await causeIfForgotten(world, ready, 'client_rejected')

    await expect(discover()).rejects.toMatchObject({ cause: 'client_rejected' })
    world.clock.pass(11 * 60)
    expect(await clientOf(await discover())).toBe('registered-2')
  })

  test('is shared by all integrations of its authorization server', async () => {
    world = await openMemoryWorld({ others: [notes, { ...notes, id: 'boards' }] })
    const of = async (id: string) => {
      const integration = world.integrations.find(id)!
      const asked = { integration, tenant: 'acme', config: {}, actor: byBrowser }
      return (await discoverServer(world, { publicUrl: 'https://connect.example' }, asked)).client_id
    }

    expect([await of('notes'), await of('boards')]).toEqual(['registered-1', 'registered-1'])
    expect(world.mcpServers.registrations).toHaveLength(1)
  })

  test('is registered again for missing scopes, and earlier grants keep the first one', async () => {
    const first = await discover()
    world.mcpServers.says({ scopes: ['boards:read'] })
    const second = await discover()
    world.mcpServers.says({ scopes: ['notes:read'] })

    expect(await Promise.all([first, second, await discover()].map(clientOf))).toEqual([
      'registered-1',
      'registered-2',
      'registered-2',
    ])
    expect(world.mcpServers.registrations.map(({ scope }) => scope)).toEqual(['notes:read', 'notes:read boards:read'])
  })

  test('is registered again if the deployment’s URL has changed', async () => {
    await discover()

    await discover({ publicUrl: 'https://moved.example' })

    expect(world.mcpServers.registrations.map(({ redirectUri }) => redirectUri)).toEqual([
      `https://connect.example/oauth/callback/${callback}`,
      `https://moved.example/oauth/callback/${callback}`,
    ])
  })

  test('is registered again at another authorization server, and the first one stays for its connections', async () => {
    const first = await discover()
    world.mcpServers.says({ authorizationServer: authorizationServer({ issuer: 'https://new.notes.example' }) })
    const second = await discover()

    expect([await clientOf(first), await clientOf(second)]).toEqual(['registered-1', 'registered-2'])
  })

  test('that is rejected is the operator’s or tenant’s to fix if it was not registered dynamically', async () => {
    world.mcpServers.says(takesDocuments)
    const config = await discover()
    const ready = await findClient(world, { tenant: 'acme', integration: 'notes', config })

    expect(await causeIfForgotten(world, ready, 'client_rejected')).toBe('client_rejected')
    expect(await causeIfForgotten(world, ready, 'grant_revoked')).toBe('grant_revoked')
  })

  test('that expires within a day is replaced', async () => {
    const { register } = world.mcpServers
    const soon = () => new Date(world.now().getTime() + 60 * 60 * 1_000)
    world.mcpServers.register = async (...args) => ({ ...(await register(...args)), expiresAt: soon() })
    await discover()

    expect(await clientOf(await discover())).toBe('registered-2')
  })
})

describe('the scopes', () => {
  const scopeOf = async (more: Parameters<typeof discover>[0] = {}) => (await discover(more)).scope
  const openId = { jwksUri: `${notesIssuer}/jwks`, signingAlgorithms: ['RS256'] }

  test.each([
    ['those of the challenge', { challengedScopes: ['notes:write'] }, 'notes:write'],
    ['otherwise those of the resource', {}, 'notes:read'],
    ['empty if none are listed', { scopes: undefined }, ''],
    [
      'extended by the scope for a refresh token',
      { authorizationServer: authorizationServer({ scopes: ['offline_access', 'admin'] }) },
      'notes:read offline_access',
    ],
    [
      'extended by the scopes for the account',
      { authorizationServer: authorizationServer({ scopes: ['openid', 'email'], ...openId }) },
      'notes:read openid email',
    ],
    [
      'without OpenID if its signing algorithm is unsupported',
      { authorizationServer: authorizationServer({ scopes: ['openid'], ...openId, signingAlgorithms: ['ES512'] }) },
      'notes:read',
    ],
    ['without invalid scopes', { scopes: ['notes:read', 'a"b', 'ä', ''] }, 'notes:read'],
  ])('are %s', async (_, says, scope) => {
    world.mcpServers.says(says)

    expect(await scopeOf()).toBe(scope)
  })

  test('include the connection’s earlier scopes', async () => {
    expect(await scopeOf({ before: 'notes:read notes:write' })).toBe('notes:read notes:write')
  })

  test('are rejected if there are too many', async () => {
    world.mcpServers.says({ scopes: Array.from({ length: 300 }, (_, nth) => `scope-${nth}`) })

    await expect(discover()).rejects.toMatchObject({ cause: 'mcp_metadata_unusable' })
  })
})
