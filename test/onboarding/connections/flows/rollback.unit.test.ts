import { beforeEach, expect, test } from 'vitest'
import { rollback } from '../../../../src/onboarding/connections/flows/rollback.ts'
import { resumeTasks } from '../../../../src/onboarding/connections/flows/work-on-task.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { ClientUnreadable } from '../../../../src/onboarding/domain/integration.ts'
import type { ProfileData } from '../../../../src/onboarding/integrations/profile.ts'
import { isAway, refuses } from '../../../support/memory/doubles.ts'
import { bySupport, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
const open = async (integration: Partial<ProfileData> = {}) => {
  world = await openMemoryWorld({ integration })
  connection = (await world.relink(await world.addConnection(), { grantedScopes: ['files.read', 'more'] })).connection
}
beforeEach(() => open())

const account = { id: 'account-1', label: 'user@files.example' }
const start = (more = {}) =>
  rollback(world, world.settings, { connectionId: connection.id, actor: bySupport, reason: 'wrong files', ...more })
const finished = async (more = {}) => (await start(more)).done
const found = () => world.found(connection.id)
const swaps = () => world.platform.calls.filter((call) => call.startsWith('replaceConnection'))

test('refreshes the previous grant, swaps it in and verifies it', async () => {
  expect((await finished()).step).toBe('done')

  expect(world.provider.calls).toEqual(['refresh'])
  expect(world.platform.calls).toEqual(['replaceConnection refresh-2', 'verifyFunction'])
  expect(await found()).toMatchObject({ status: 'active', scopes: ['files.read'], grantVersion: 2 })
})

test('a second rollback returns to the newer grant', async () => {
  await finished()
  await finished()

  expect((await found()).scopes).toEqual(['files.read', 'more'])
})

test.each([
  ['was never re-linked', () => world.addConnection(), 'no previous access'],
  [
    'was re-linked too long ago',
    async () => {
      world.clock.pass(100_000)
      return connection
    },
    'no previous access',
  ],
  [
    'had another account before',
    async () => (await world.relink(connection, { account: { id: 'account-2', label: 'two' } })).connection,
    'different account',
  ],
  [
    'had an unknown account before (Z1)',
    async () => (await world.relink(await world.addConnection({}, { account: undefined }), { account })).connection,
    'not known whose account',
  ],
  [
    'had another client before',
    async () => (await world.relink(await world.addConnection({}, {}, { clientId: 'client-0' }))).connection,
    'different OAuth client',
  ],
] as const)('rejects a rollback of a connection that %s', async (_, arrange, words) => {
  connection = await arrange()

  const refused = await start().catch((error) => error)

  expect(refused).toMatchObject({ code: 'rollback_impossible' })
  expect(refused.detail).toContain(words)
})

test('Z1: a rollback to a grant whose account was learned later keeps the pin', async () => {
  const nameless = await world.addConnection({}, { account: undefined })
  await world.connections.pinAccount(nameless, account, {
    action: 'connection.account_learned',
    actor: bySupport,
    subject: { kind: 'connection', id: nameless.id },
  })
  connection = (await world.relink(await world.found(nameless.id), { account })).connection

  expect((await finished()).step).toBe('done')
  expect((await found()).account).toEqual(account)
})

test('rejects a rollback if refresh tokens rotate', async () => {
  await open({ rotation: 'replaces' })

  await expect(start()).rejects.toMatchObject({ code: 'rollback_impossible' })
})

test('rejects a rollback if the client cannot be decrypted', async () => {
  world.tenants.ownClient = async () => {
    throw new ClientUnreadable('a key is missing')
  }

  await expect(start()).rejects.toMatchObject({ code: 'rollback_impossible' })
})

test('a previous grant that the provider rejects fails the rollback before the swap', async () => {
  world.provider.refresh = refuses('grant_revoked')

  expect(await finished()).toMatchObject({ step: 'failed', cause: 'grant_revoked' })
  expect(world.platform.calls).toEqual([])
  expect((await found()).scopes).toEqual(['files.read', 'more'])
})

test('retries an unavailable provider', async () => {
  const { refresh } = world.provider
  world.provider.refresh = isAway('provider_unavailable')
  const stopped = await finished()
  world.provider.refresh = refresh
  world.clock.pass(120)

  await resumeTasks(world, world.settings)

  expect(stopped).toMatchObject({ step: 'testing', attempts: 1 })
  expect((await world.tasks.find(stopped.id))?.step).toBe('done')
})

test('restores the current grant if the function rejects the previous one', async () => {
  world.platform.verifyFunction = refuses('function_failed')

  expect(await finished()).toMatchObject({ step: 'failed', cause: 'grant_unusable' })
  expect(swaps()).toEqual(['replaceConnection refresh-2', 'replaceConnection second grant'])
  expect(await found()).toMatchObject({ scopes: ['files.read', 'more'], grantVersion: 1 })
})

test('retries a slow function before it restores the current grant', async () => {
  world.platform.verifyFunction = isAway('function_failed')
  let task = await finished()
  const steps = [task.step]

  for (let tries = 0; task.step === 'verifying' && tries < 10; tries++) {
    world.clock.pass(120)
    await resumeTasks(world, world.settings)
    task = (await world.tasks.find(task.id))!
    steps.push(task.step)
  }

  expect(steps).toEqual(['verifying', 'verifying', 'verifying', 'failed'])
})

test('restores the current grant if the health tool rejects the previous one', async () => {
  await open({ health: { by: 'function', tool: 'list_files' } })
  world.platform.tryTool = async () => ({ failed: true, cause: 'grant_revoked' })

  expect(await finished()).toMatchObject({ step: 'failed', cause: 'grant_unusable' })
})

test('fails with a cause if nothing can be restored', async () => {
  world.platform.verifyFunction = async () => {
    world.removeIntegration('files')
    return refuses('function_failed')()
  }

  expect(await finished()).toMatchObject({ step: 'failed', cause: 'integration_removed' })
})

test('replaces the connection by a second one if secrets cannot be replaced', async () => {
  world.settings.connectionPut = false

  await finished()

  const { name } = await found()
  expect(name).not.toBe(connection.name)
  expect(world.platform.calls).toEqual([
    `createConnection ${name} refresh-2`,
    `pointFunction ${name}`,
    'verifyFunction',
    `deleteConnection ${connection.name}`,
  ])
})

test('restores the first connection if the second one fails', async () => {
  world.settings.connectionPut = false
  world.platform.verifyFunction = refuses('function_failed')

  await finished()

  expect(world.platform.calls.at(-2)).toBe(`pointFunction ${connection.name}`)
  expect(world.platform.calls.at(-1)).toMatch(/^deleteConnection /)
  expect(world.platform.calls.at(-1)).not.toContain(connection.name)
  expect((await found()).name).toBe(connection.name)
})

test('rejects a second task on the connection', async () => {
  world.provider.refresh = isAway('provider_unavailable')
  await finished()

  await expect(start()).rejects.toMatchObject({ code: 'connection_busy' })
})

test('a retried request does not roll back twice', async () => {
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }
  const first = await finished({ claim })

  const second = await start({ claim: { ...claim, isRetry: true } })

  expect(second.task).toEqual(first)
  expect((await found()).grantVersion).toBe(2)
})
