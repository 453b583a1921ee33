import { beforeEach, expect, test } from 'vitest'
import type { RelinkConnection } from '../../../../src/onboarding/connections/flows/relink-connection.ts'
import { relinkConnection } from '../../../../src/onboarding/connections/flows/relink-connection.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { discoveredConfig } from '../../../../src/onboarding/domain/mcp/mcp-server.ts'
import { maxUnpinnedSeconds } from '../../../../src/onboarding/domain/relink.ts'
import { findClient } from '../../../../src/onboarding/tenants/flows/find-client.ts'
import { returnUrl } from '../../../support/memory/builders.ts'
import { mcpServer } from '../../../support/memory/mcp-servers.ts'
import { byKey, bySupport, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
beforeEach(async () => {
  world = await openMemoryWorld()
  connection = await world.addConnection()
})

type ByReason = Extract<RelinkConnection, { reason: string }>

const relink = (more: Partial<ByReason> = {}) =>
  relinkConnection(world, world.settings, { connectionId: connection.id, actor: byKey, reason: 'broken', ...more })
const unpin = () => {
  world.connections.find = async () => ({ ...connection, account: undefined })
}
const lifetime = async (more: Partial<ByReason>) =>
  ((await relink(more)).session.expiresAt.getTime() - world.now().getTime()) / 1_000
const day = 24 * 60 * 60

test('a re-link session with a pinned account needs no completion challenge', async () => {
  const { session, url } = await relink()

  expect(session).toMatchObject({
    connectionId: connection.id,
    allowOtherAccount: false,
    returnUrl: undefined,
    endUser: { id: 'user-1', email: 'user@acme.example' },
  })
  const token = url.replace('https://connect.example/connect/', '')
  expect((await world.sessions.byToken(world.tokens.digest(token)))?.id).toBe(session.id)
  expect(world.actions()).toContain('relink.minted')
})

test('a session lasts a day, or as long as requested', async () => {
  expect([await lifetime({}), await lifetime({ ttlSeconds: 3 * day })]).toEqual([day, 3 * day])
})

test("another tenant's connection reads like a missing one", async () => {
  await expect(relink({ tenant: 'other' })).rejects.toMatchObject({ code: 'not_found', more: { owner: 'acme' } })
  await expect(relink({ connectionId: 'con_0' })).rejects.toMatchObject({ code: 'not_found' })
})

test('rejects a re-link of a disconnected connection', async () => {
  world.connections.find = async () => ({ ...connection, status: 'disconnected' })

  await expect(relink()).rejects.toMatchObject({ code: 'connection_disconnected' })
})

test('a tenant may not allow a different account', async () => {
  await expect(relink({ tenant: 'acme', allowOtherAccount: true })).rejects.toMatchObject({ code: 'key_limited' })
})

test('a session for any account requires a completion challenge', async () => {
  await expect(relink({ allowOtherAccount: true })).rejects.toMatchObject({
    code: 'input_invalid',
    more: { errors: [{ pointer: '/completionChallenge' }] },
  })
  const minted = await relink({ allowOtherAccount: true, completionChallenge: 'challenge', returnUrl })
  expect(minted.session).toMatchObject({ allowOtherAccount: true, completionChallenge: 'challenge' })
})

test('a session for an unknown account requires a completion challenge', async () => {
  unpin()

  await expect(relink()).rejects.toMatchObject({ code: 'input_invalid' })
})

test('a challenge needs a return URL, because the code is sent there', async () => {
  await expect(relink({ completionChallenge: 'challenge' })).rejects.toMatchObject({
    code: 'input_invalid',
    more: { errors: [{ pointer: '/returnUrl' }] },
  })
})

test('a return URL must be registered', async () => {
  await expect(relink({ returnUrl: 'https://evil.example/' })).rejects.toMatchObject({ code: 'input_invalid' })
  expect(world.actions()).toContain('return_url.rejected')
})

test('a support session needs no challenge, and expires soon if no account is pinned', async () => {
  unpin()

  expect(await lifetime({ actor: bySupport, ttlSeconds: 7 * day })).toBe(maxUnpinnedSeconds)
})

test('a support session for a pinned account lives as long as requested', async () => {
  expect(await lifetime({ actor: bySupport, ttlSeconds: 7 * day })).toBe(7 * day)
})

test('re-link sessions are rate limited per tenant', async () => {
  for (let count = 0; count < 5; count++) await relink()

  await expect(relink()).rejects.toMatchObject({ code: 'rate_limited' })
})

test('rejects a re-link for a removed integration', async () => {
  world.removeIntegration('files')

  await expect(relink()).rejects.toMatchObject({ code: 'not_found' })
})

test('a retried request returns the same URL', async () => {
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }

  const first = await relink({ claim })
  const second = await relink({ claim: { ...claim, isRetry: true } })

  expect(second).toEqual(first)
})

test('row 14: a re-link reports that the new grant ends another one of the account', async () => {
  world = await openMemoryWorld({ integration: { limits: { liveGrants: 2 } } })
  connection = await world.addConnection()
  const first = await relink()
  await world.addConnection()

  const second = await relink()

  expect(first.grantLimit).toBeUndefined()
  expect(second.grantLimit).toEqual({ live: 2, limit: 2, beyond: 'oldest_ends' })
})

const filesIssuer = 'https://login.files.example'

test('a re-link of an MCP server uses the currently configured issuer', async () => {
  world = await openMemoryWorld({ integration: { mcpUrl: 'https://mcp.files.example/mcp', issuer: filesIssuer } })
  const config = discoveredConfig(mcpServer(), { scope: '', clientAuthentication: 'none' })
  connection = await world.addConnection({}, { config })

  expect(connection.config.issuer).not.toBe(filesIssuer)
  await expect(findClient(world, connection)).rejects.toMatchObject({ code: 'integration_unavailable' })
  expect((await relink()).session.connectionId).toBe(connection.id)
})

test('a re-link of an MCP server asks for the permissions that recent calls lacked', async () => {
  world = await openMemoryWorld({ integration: { mcpUrl: 'https://mcp.files.example/mcp', issuer: filesIssuer } })
  const config = discoveredConfig(mcpServer(), { scope: 'notes:read', clientAuthentication: 'none' })
  connection = await world.addConnection({}, { config })
  const problem = { at: world.now(), workspace: connection.workspace, connectionName: connection.name }
  world.grantProblems.noted.push({ ...problem, cause: 'scope_insufficient', scope: 'notes:write' })

  await relink()

  expect((await world.connections.find(connection.id))?.config.scope).toBe('notes:read notes:write')
})
