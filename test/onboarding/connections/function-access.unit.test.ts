import { beforeEach, expect, test } from 'vitest'
import {
  createFunctionLogin,
  endFunctionLogins,
  listFunctionGrants,
  revokeFunctionGrant,
} from '../../../src/onboarding/connections/flows/function-access.ts'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import { suspendTenant } from '../../../src/onboarding/tenants/flows/manage-tenants.ts'
import { byKey as actor, type MemoryWorld, openMemoryWorld, operator } from '../../support/memory/world.ts'

let world: MemoryWorld
let connectionId: string

beforeEach(async () => {
  world = await openMemoryWorld()
  connectionId = (await world.addConnection()).id
})

test('a login is for the end user of the connection and is audited', async () => {
  const login = await createFunctionLogin(world, world.settings, { connectionId, actor })

  expect(login.mcpUrl).toMatch(/\/mcp$/)
  expect(world.functionAccess.logins).toHaveLength(1)
  expect(world.actions()).toContain('function_login.created')
})

test('Z7: a suspended tenant gets no logins, and existing ones can be revoked', async () => {
  await suspendTenant(world, { caller: operator, actor, id: 'acme' })

  const login = createFunctionLogin(world, world.settings, { connectionId, actor })

  await expect(login).rejects.toMatchObject({ code: 'tenant_suspended' })
  expect(world.functionAccess.logins).toEqual([])
  await revokeFunctionGrant(world, { connectionId, grantId: 'fg_1', actor })
})

test('another tenant’s connection reads like a missing one', async () => {
  const other = { connectionId, actor, tenant: 'other' }

  await expect(createFunctionLogin(world, world.settings, other)).rejects.toMatchObject({ code: 'not_found' })
  await expect(listFunctionGrants(world, other)).rejects.toMatchObject({ code: 'not_found' })
  await expect(revokeFunctionGrant(world, { ...other, grantId: 'fg_1' })).rejects.toMatchObject({ code: 'not_found' })
  expect(world.functionAccess.logins).toEqual([])
})

test('a grant is revoked and audited once', async () => {
  const revoke = () => revokeFunctionGrant(world, { connectionId, grantId: 'fg_1', actor })

  await revoke()

  await expect(revoke()).rejects.toMatchObject({ code: 'not_found' })
  expect(await listFunctionGrants(world, { connectionId })).toEqual([])
  expect(world.actions().filter((action) => action === 'function_grant.revoked')).toHaveLength(1)
})

test('all logins of the end user of a connection are ended and audited, not those of another tenant', async () => {
  const { endUserId } = await world.connections.find(connectionId).then((found) => found as { endUserId: string })

  await endFunctionLogins(world, { connectionId, actor })

  await expect(endFunctionLogins(world, { connectionId, actor, tenant: 'other' })).rejects.toMatchObject({
    code: 'not_found',
  })
  expect(world.functionAccess.ended).toEqual([endUserId])
  expect(world.actions().filter((action) => action === 'function_login.ended')).toHaveLength(1)
})

test('reports an unavailable platform', async () => {
  world.functionAccess.listGrants = async () => {
    throw new DependencyError('platform_unavailable', { retry: {} })
  }

  await expect(listFunctionGrants(world, { connectionId })).rejects.toMatchObject({ code: 'platform_unavailable' })
})
