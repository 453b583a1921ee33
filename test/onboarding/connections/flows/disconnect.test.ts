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
  disconnect(world, world.settings)({ connectionId: connection.id, actor: byKey, reason: 'left us', ...more })
const finished = async (more = {}) => (await end(more)).done
const resume = () => resumeTasks(world, world.settings)()
const found = () => world.found(connection.id)

test('first the grant is revoked, then the function goes, then what it used', async () => {
  const task = await finished()

  expect(task).toMatchObject({ step: 'done', notes: { revocation: 'revoked' } })
  expect(world.provider.calls).toEqual(['revoke first grant'])
  expect(world.platform.calls).toEqual(['deleteFunction', `deleteConnection ${connection.name}`])
  expect(await found()).toMatchObject({ status: 'disconnected' })
  expect(world.events()).toEqual(['connection.disconnected'])
})

test('the grant before the last re-link is revoked, too', async () => {
  await world.relink(connection)

  await finished()

  expect(world.provider.calls).toEqual(['revoke second grant', 'revoke first grant'])
})

test('every step has who asked and why', async () => {
  await finished()

  const noted = world.tables.audit.filter(({ entry }) => entry.connection === connection.id)
  expect(noted.length).toBeGreaterThanOrEqual(4)
  for (const { entry } of noted) expect(entry).toMatchObject({ actor: byKey, reason: 'left us' })
})

test('a consent that another connection lives off is not revoked', async () => {
  await open({ revocation: { reach: 'grant' } })
  await world.addConnection()

  expect((await finished()).notes.revocation).toBe('shared')
  expect(world.provider.calls).toEqual([])
})

test('R1: a tenant that has another client by now does not end what others granted to the one before', async () => {
  await open({ revocation: { reach: 'grant' } })
  await world.addTenant('globex')
  await world.addConnection({ tenant: 'globex' })
  const client = { id: 'client-of-its-own', secret: undefined }
  await putOwnClient(world)({
    caller: { keyId: 'key_1', tenant: 'acme' },
    actor: byKey,
    tenant: 'acme',
    integration: 'files',
    client,
  })

  expect((await finished()).notes.revocation).toBe('shared')
  expect(world.provider.calls).toEqual([])
})

test('R7: what was granted to the shared client is revoked by it, also if the tenant has its own by now', async () => {
  const clients: string[] = []
  world.provider.revoke = async ({ client }) => {
    clients.push(client.id)
    return 'revoked'
  }
  const caller = { keyId: 'key_1', tenant: 'acme' }
  const client = { id: 'client-of-its-own', secret: undefined }
  await putOwnClient(world)({ caller, actor: byKey, tenant: 'acme', integration: 'files', client })

  expect((await finished()).notes.revocation).toBe('revoked')
  expect(clients).toEqual(['client-1'])
})

test('R7: where the client of a grant is gone no other one asks for its end, and the tenant is told so', async () => {
  connection = await world.addConnection({}, {}, { clientId: 'client-before' })

  expect((await finished()).notes.revocation).toBe('client_gone')
  expect(world.provider.calls).toEqual([])
  expect(world.lastPayload()).toMatchObject({ revocation: 'client_gone' })
})

test('a consent is not revoked while the same user’s next link is put to work', async () => {
  await open({ revocation: { reach: 'grant' } })
  await world.escrow(await world.addLink(), 'second grant')

  expect((await finished()).notes.revocation).toBe('shared')
  expect(world.provider.calls).toEqual([])
})

test('a consent that nobody else lives off is', async () => {
  await open({ revocation: { reach: 'grant' } })

  expect((await finished()).notes.revocation).toBe('revoked')
})

test('where only a fingerprint was kept there is nothing to revoke', async () => {
  connection = await world.addConnection({}, {}, { keepGrant: false })

  expect((await finished()).notes.revocation).toBe('not_kept')
})

test('an integration that was taken away does not keep its connections', async () => {
  world.removeIntegration('files')

  expect(await finished()).toMatchObject({ step: 'done', notes: { revocation: 'client_gone' } })
})

test('a provider without revocation is not asked', async () => {
  await open({ endpoints: { authorization: 'https://p.example/a', token: 'https://p.example/t' } })

  expect((await finished()).notes.revocation).toBe('not_offered')
  expect(world.provider.calls).toEqual([])
})

test.each([
  ['that refuses to revoke is asked', 'refused', 'provider_unavailable'],
  ['at an address that is not called is tried', 'blocked', 'address_blocked'],
] as const)('a provider %s a few times, and the connection goes all the same', async (_, outcome, cause) => {
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

test('a platform that is away is asked again, from the step that it stopped at', async () => {
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

test('there is no way back: also a refusal that is final is tried again until it is gone', async () => {
  world.platform.deleteFunction = refuses('platform_refused')

  const stopped = await finished()

  expect(stopped).toMatchObject({ step: 'removing_function', attempts: 1 })
  expect((await found()).status).toBe('active')
})

test('an error that nobody thought of is left to the next worker', async () => {
  const { deleteFunction } = world.platform
  world.platform.deleteFunction = breaks
  await expect(finished()).rejects.toThrow(TypeError)
  world.platform.deleteFunction = deleteFunction

  world.clock.pass(31)

  expect(await resume()).toBe(1)
  expect((await found()).status).toBe('disconnected')
})

test('of two who disconnect one is told that the connection is busy', async () => {
  world.platform.deleteFunction = isAway('platform_unavailable')
  await finished()

  await expect(end()).rejects.toMatchObject({ code: 'connection_busy' })
})

test('what has ended is not ended again', async () => {
  await finished()

  await expect(end()).rejects.toMatchObject({ code: 'connection_disconnected' })
})

test('a second try of the same request answers the task that the first opened, also when it is done', async () => {
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }
  const first = await finished({ claim })

  const second = await end({ claim: { ...claim, isRetry: true } })

  expect(second.task).toEqual(first)
  expect(world.events()).toEqual(['connection.disconnected'])
})

test("another tenant's connection reads like a missing one", async () => {
  await expect(end({ tenant: 'other' })).rejects.toMatchObject({ code: 'not_found' })
})
