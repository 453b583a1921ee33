import { beforeEach, expect, test } from 'vitest'
import { createConnection } from '../../../../../src/onboarding/connections/flows/by-tenant/create-connection.ts'
import { checkHealth } from '../../../../../src/onboarding/connections/flows/check-health.ts'
import { relinkConnection } from '../../../../../src/onboarding/connections/flows/relink-connection.ts'
import { verifyConnection } from '../../../../../src/onboarding/connections/flows/verify-connection.ts'
import { worker } from '../../../../../src/onboarding/domain/audit/audit.ts'
import { DependencyError } from '../../../../../src/onboarding/domain/dependency-error.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const caller = { keyId: 'key_1', tenant: 'acme' }
const create = (input: Partial<Parameters<typeof createConnection>[2]> = {}) =>
  createConnection(world, world.settings, {
    caller,
    actor: worker,
    tenant: 'acme',
    integration: 'files',
    endUserId: 'user-1',
    ...input,
  })

test('a function is created without a grant, and is not checked before an account is linked', async () => {
  const connection = await create()

  expect(connection).toMatchObject({ status: 'not_linked', endUserId: 'user-1', account: undefined })
  expect(world.platform.calls).toEqual([`createConnection ${connection.name} without a grant`, 'createFunction'])
  expect(world.actions()).toContain('connection.created')
  const on = { caller, connectionId: connection.id, tenant: 'acme', actor: worker, reason: 'test' }
  await expect(checkHealth(world, world.settings, on)).rejects.toMatchObject({ code: 'connection_not_linked' })
  await expect(verifyConnection(world, world.settings, on)).rejects.toMatchObject({ code: 'connection_not_linked' })
})

test('its tenant can lead the user to a link before the first call', async () => {
  const { id } = await create()
  const on = { connectionId: id, tenant: 'acme', actor: worker, reason: 'test' }
  const completionChallenge = world.tokens.challenge('verifier')
  const [returnUrl] = (await world.tenants.find('acme'))?.returnUrls ?? []

  const { session } = await relinkConnection(world, world.settings, { ...on, returnUrl, completionChallenge })

  expect(session).toMatchObject({ connectionId: id, isPinned: false })
})

test('a retry after a lost response finds the connection of the first attempt', async () => {
  const claim = { id: 'key', fence: 1, seed: 'con_06gxytkv1n6z3c8p2r5s7t9w0x', isRetry: true }
  world.platform.createFunction = () => Promise.reject(new DependencyError('platform_unavailable', { retry: {} }))
  await expect(create({ claim })).rejects.toMatchObject({ code: 'platform_unavailable' })
  world.platform.createFunction = async () => ({ url: 'https://platform.example/acme/functions/files' })

  const [first, second] = [await create({ claim }), await create({ claim })]

  expect(second).toEqual(first)
  expect(new Set(world.platform.calls).size).toBe(1)
})

test.each([
  ['of another tenant', { tenant: 'other' }, 'not_found'],
  ['of an unknown integration', { integration: 'unknown' }, 'not_found'],
])('T21: no function %s is created', async (_, input, code) => {
  await expect(create(input)).rejects.toMatchObject({ code })
  expect(world.platform.calls).toEqual([])
})
