import { beforeEach, expect, test } from 'vitest'
import { checkHealth } from '../../../../src/onboarding/connections/flows/check-health.ts'
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
  verifyConnection(world, world.settings, { connectionId: connection.id, actor: byKey, reason: 'ticket', ...more })

test('returns the tools of the function and audits the request', async () => {
  expect(await verify()).toEqual({ tools: ['list_files'] })
  expect(world.actions()).toContain('connection.verified')
})

test('audits a failed verification', async () => {
  world.platform.verifyFunction = isAway('function_failed')

  await expect(verify()).rejects.toMatchObject({ code: 'platform_unavailable' })
  expect(world.actions()).toContain('connection.verify_failed')
  expect(world.actions()).not.toContain('connection.verified')
})

test('does not report an unexpected error as an unavailable function', async () => {
  world.platform.verifyFunction = breaks

  await expect(verify()).rejects.toThrow(TypeError)
  expect(world.actions()).not.toContain('connection.verify_failed')
})

test("rejects another tenant's connection and a disconnected one", async () => {
  await expect(verify({ tenant: 'other' })).rejects.toMatchObject({ code: 'not_found' })
  world.connections.find = async () => ({ ...connection, status: 'disconnected' })
  await expect(verify()).rejects.toMatchObject({ code: 'connection_disconnected' })
  expect(world.platform.calls).toEqual([])
})

test('limits checks and verifications of one connection together, and no other connection', async () => {
  const check = () =>
    checkHealth(world, world.settings, { connectionId: connection.id, actor: byKey, reason: 'ticket' })
  const other = await world.addConnection()
  for (let count = 0; count < 5; count++) await Promise.all([verify(), check()])

  await expect(verify()).rejects.toMatchObject({ code: 'rate_limited' })
  await expect(check()).rejects.toMatchObject({ code: 'rate_limited' })
  expect(await verify({ connectionId: other.id })).toEqual({ tools: ['list_files'] })
})
