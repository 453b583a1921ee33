import { expect, test } from 'vitest'
import { listConnections, readConnection } from '../../../../src/onboarding/connections/flows/read-connections.ts'
import { ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

const any = {
  tenant: undefined,
  integration: undefined,
  status: undefined,
  cause: undefined,
  endUserId: undefined,
  cursor: undefined,
  limit: 10,
}

test('a tenant reads and lists its own connections, and others read like missing ones', async () => {
  const world = await openMemoryWorld()
  await world.addTenant('other')
  const own = await world.addConnection()
  const others = await world.addConnection({ tenant: 'other' })
  const listed = async (caller: typeof operator | ReturnType<typeof ofTenant>, tenant?: string) =>
    (await listConnections(world, { caller, ...any, tenant })).data.map(({ id }) => id)

  expect(await readConnection(world, { caller: ofTenant('acme'), id: own.id })).toEqual(own)
  await expect(readConnection(world, { caller: ofTenant('acme'), id: others.id })).rejects.toMatchObject({
    code: 'not_found',
    more: { owner: 'other' },
  })
  expect(await listed(ofTenant('acme'))).toEqual([own.id])
  expect(await listed(ofTenant('acme'), 'other')).toEqual([])
  expect(await listed(operator, 'other')).toEqual([others.id])
})
