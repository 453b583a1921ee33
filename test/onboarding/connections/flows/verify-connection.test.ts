import { beforeEach, expect, test } from 'vitest'
import { verifyConnection } from '../../../../src/onboarding/connections/flows/verify-connection.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import { breaks, isAway } from '../../../support/memory/doubles.ts'
import { byKey, type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
let connection: Connection
beforeEach(async () => {
  world = await openMemoryWorld()
  connection = await world.addConnection()
})

const verify = (more = {}) =>
  verifyConnection(world, world.settings)({ connectionId: connection.id, actor: byKey, reason: 'ticket', ...more })

test('the tools of the function are told, and that somebody asked is on record', async () => {
  expect(await verify()).toEqual({ tools: ['list_files'] })
  expect(world.actions()).toContain('connection.verified')
})

test('that it was tried in vain is on record, too', async () => {
  world.platform.verifyFunction = isAway('function_failed')

  await expect(verify()).rejects.toMatchObject({ code: 'platform_unavailable' })
  expect(world.actions()).toContain('connection.verify_failed')
  expect(world.actions()).not.toContain('connection.verified')
})

test('an error that nobody thought of is not taken for a function that does not answer', async () => {
  world.platform.verifyFunction = breaks

  await expect(verify()).rejects.toThrow(TypeError)
  expect(world.actions()).not.toContain('connection.verify_failed')
})

test("another tenant's connection and one that has ended are not verified", async () => {
  await expect(verify({ tenant: 'other' })).rejects.toMatchObject({ code: 'not_found' })
  world.connections.find = async () => ({ ...connection, status: 'disconnected' })
  await expect(verify()).rejects.toMatchObject({ code: 'connection_disconnected' })
  expect(world.platform.calls).toEqual([])
})

test('checks and verifications share one rate', async () => {
  for (let count = 0; count < 10; count++) await verify()

  await expect(verify()).rejects.toMatchObject({ code: 'rate_limited' })
})
