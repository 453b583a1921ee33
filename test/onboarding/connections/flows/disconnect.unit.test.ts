import { beforeEach, expect, test } from 'vitest'
import { disconnect } from '../../../../src/onboarding/connections/flows/disconnect.ts'
import { resumeTasks } from '../../../../src/onboarding/connections/flows/work-on-task.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import type { ProfileData } from '../../../../src/onboarding/integrations/profile.ts'
import { putOwnClient } from '../../../../src/onboarding/tenants/flows/manage-oauth-clients.ts'
import { breaks, isAway, refuses } from '../../../support/memory/doubles.ts'
import { byKey, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
const open = async (integration: Partial<ProfileData> = {}) => {
  world = await openMemoryWorld({ integration })
  connection = await world.addConnection()
}
beforeEach(() => open())

const end = (more = {}) =>
  disconnect(world, world.settings, { connectionId: connection.id, actor: byKey, reason: 'left us', ...more })
const finished = async (more = {}) => (await end(more)).done
const resume = () => resumeTasks(world, world.settings)
const found = () => world.found(connection.id)

test('revokes the grant, then deletes the function, then the connection', async () => {
  const task = await finished()

  expect(task).toMatchObject({ step: 'done', notes: { revocation: 'revoked' } })
  expect(world.provider.calls).toEqual(['revoke first grant'])
  expect(world.platform.calls).toEqual(['deleteFunction', `deleteConnection ${connection.name}`])
  expect(await found()).toMatchObject({ status: 'disconnected' })
  expect(world.events()).toEqual(['connection.disconnected'])
})

test('also revokes the grant from before the last re-link', async () => {
  await world.relink(connection)

  await finished()

  expect(world.provider.calls).toEqual(['revoke second grant', 'revoke first grant'])
})

test('audits each step with actor and reason', async () => {
  await finished()

  const noted = world.tables.audit.filter(({ entry }) => entry.connection === connection.id)
  expect(noted.length).toBeGreaterThanOrEqual(4)
  for (const { entry } of noted) expect(entry).toMatchObject({ actor: byKey, reason: 'left us' })
})

test('does not revoke a grant that another connection uses', async () => {
  await open({ revocation: { reach: 'grant' } })
  await world.addConnection()

  expect((await finished()).notes.revocation).toBe('shared')
  expect(world.provider.calls).toEqual([])
})

test('R1: a tenant with a new client does not revoke a consent that others share with the previous one', async () => {
  await open({ revocation: { reach: 'grant' } })
  await world.addTenant('globex')
  await world.addConnection({ tenant: 'globex' })
  const client = { id: 'client-of-its-own', secret: undefined }
  await putOwnClient(world, {
    caller: { keyId: 'key_1', tenant: 'acme' },
    actor: byKey,
    tenant: 'acme',
    integration: 'files',
    client,
  })

  expect((await finished()).notes.revocation).toBe('shared')
  expect(world.provider.calls).toEqual([])
})

test('R7: revokes with the shared client if the grant was issued to it', async () => {
  const clients: string[] = []
  world.provider.revoke = async ({ client }) => {
    clients.push(client.id)
    return 'revoked'
  }
  const caller = { keyId: 'key_1', tenant: 'acme' }
  const client = { id: 'client-of-its-own', secret: undefined }
  await putOwnClient(world, { caller, actor: byKey, tenant: 'acme', integration: 'files', client })

  expect((await finished()).notes.revocation).toBe('revoked')
  expect(clients).toEqual(['client-1'])
})

test('R7: does not revoke with another client, and reports that the client is unavailable', async () => {
  connection = await world.addConnection({}, {}, { clientId: 'client-before' })

  expect((await finished()).notes.revocation).toBe('client_gone')
  expect(world.provider.calls).toEqual([])
  expect(world.lastPayload()).toMatchObject({ revocation: 'client_gone' })
})

test('does not revoke a grant while the same user’s next link is provisioned', async () => {
  await open({ revocation: { reach: 'grant' } })
  await world.escrow(await world.addLink(), 'second grant')

  expect((await finished()).notes.revocation).toBe('shared')
  expect(world.provider.calls).toEqual([])
})

test('does not revoke a grant if such a link ends while the ledger is asked', async () => {
  await open({ revocation: { reach: 'grant' } })
  const next = await world.escrow(await world.addLink(), 'second grant')
  const { sharesConsent } = world.storedGrants
  world.storedGrants.sharesConsent = async (query) => {
    const isShared = await sharesConsent(query)
    await world.finish(next)
    return isShared
  }

  expect((await finished()).notes.revocation).toBe('shared')
})

test('revokes a grant that no other connection uses', async () => {
  await open({ revocation: { reach: 'grant' } })

  expect((await finished()).notes.revocation).toBe('revoked')
})

test('reports not_kept if only a fingerprint was stored', async () => {
  connection = await world.addConnection({}, {}, { keepGrant: false })

  expect((await finished()).notes.revocation).toBe('not_kept')
})

test('disconnects a connection of a removed integration', async () => {
  world.removeIntegration('files')

  expect(await finished()).toMatchObject({ step: 'done', notes: { revocation: 'client_gone' } })
})

test('skips revocation if the provider has no revocation endpoint', async () => {
  await open({ endpoints: { authorization: 'https://p.example/a', token: 'https://p.example/t' } })

  expect((await finished()).notes.revocation).toBe('not_offered')
  expect(world.provider.calls).toEqual([])
})

test.each([
  ['that rejects revocation', 'refused', 'provider_unavailable'],
  ['at a blocked address', 'blocked', 'address_blocked'],
] as const)('calls a provider %s a few times before the disconnect continues', async (_, outcome, cause) => {
  world.provider.revoke = async () => outcome
  let task = await finished()
  expect(task).toMatchObject({ step: 'revoking', cause })

  for (let tries = 0; task.step === 'revoking' && tries < 10; tries++) {
    world.clock.pass(120)
    await resume()
    task = (await world.tasks.find(task.id))!
  }

  expect(task).toMatchObject({ step: 'done', notes: { revocation: outcome } })
})

test('retries an unavailable platform from the step that failed', async () => {
  const { deleteConnection } = world.platform
  world.platform.deleteConnection = isAway('platform_unavailable')
  const stopped = await finished()
  world.platform.deleteConnection = deleteConnection

  world.clock.pass(120)
  await resume()

  expect(stopped).toMatchObject({ step: 'removing_connection', attempts: 1, cause: 'platform_unavailable' })
  expect((await world.tasks.find(stopped.id))?.step).toBe('done')
  expect(world.platform.calls.filter((call) => call === 'deleteFunction')).toHaveLength(1)
})

test('retries even a final rejection by the platform', async () => {
  world.platform.deleteFunction = refuses('platform_refused')

  const stopped = await finished()

  expect(stopped).toMatchObject({ step: 'removing_function', attempts: 1 })
  expect((await found()).status).toBe('active')
})

test('the next worker continues after an unexpected error', async () => {
  const { deleteFunction } = world.platform
  world.platform.deleteFunction = breaks
  await expect(finished()).rejects.toThrow(TypeError)
  world.platform.deleteFunction = deleteFunction

  world.clock.pass(31)

  expect(await resume()).toBe(1)
  expect((await found()).status).toBe('disconnected')
})

test('rejects a second disconnect as busy', async () => {
  world.platform.deleteFunction = isAway('platform_unavailable')
  await finished()

  await expect(end()).rejects.toMatchObject({ code: 'connection_busy' })
})

test('rejects a disconnect of a disconnected connection', async () => {
  await finished()

  await expect(end()).rejects.toMatchObject({ code: 'connection_disconnected' })
})

test('a retried request returns the task of the first, even if it is done', async () => {
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }
  const first = await finished({ claim })

  const second = await end({ claim: { ...claim, isRetry: true } })

  expect(second.task).toEqual(first)
  expect(world.events()).toEqual(['connection.disconnected'])
})

test("another tenant's connection reads like a missing one", async () => {
  await expect(end({ tenant: 'other' })).rejects.toMatchObject({ code: 'not_found' })
})
