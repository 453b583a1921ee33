import { beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { findClient, findIssuing, undefinedIfMissing } from '../../../../src/onboarding/tenants/flows/find-client.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { breaks } from '../../../support/memory/doubles.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const bring = (integration: string) => {
  const own = { id: 'own-client', secret: new Secret('own secret') }
  return world.tenants.putOwnClient('acme', integration, own, auditEntry('tenant.oauth_client_put'))
}

test('uses the deployment’s client if the tenant has none', async () => {
  expect((await findClient(world, { tenant: 'acme', integration: 'files' })).client.id).toBe('client-1')
})

test("uses the tenant's own client before the deployment's", async () => {
  await bring('files')

  expect((await findClient(world, { tenant: 'acme', integration: 'files' })).client.id).toBe('own-client')
})

test('a tenant’s client is available only to that tenant', async () => {
  await world.addTenant('other')
  await bring('mail')

  expect((await findClient(world, { tenant: 'acme', integration: 'mail' })).client.id).toBe('own-client')
  await expect(findClient(world, { tenant: 'other', integration: 'mail' })).rejects.toMatchObject({
    code: 'integration_unavailable',
  })
})

test('an unknown integration is not found', async () => {
  await expect(findClient(world, { tenant: 'acme', integration: 'fax' })).rejects.toMatchObject({ code: 'not_found' })
})

test('returns undefined for a removed integration and rethrows other errors', async () => {
  expect(await findClient(world, { tenant: 'acme', integration: 'fax' }).catch(undefinedIfMissing)).toBeUndefined()
  expect(await findClient(world, { tenant: 'acme', integration: 'mail' }).catch(undefinedIfMissing)).toBeUndefined()
  world.tenants.ownClient = breaks
  await expect(findClient(world, { tenant: 'acme', integration: 'files' }).catch(undefinedIfMissing)).rejects.toThrow(
    TypeError,
  )
})

test('a process that lags behind follows the settings before it uses a client that it does not know', async () => {
  const owner = { tenant: 'acme', integration: 'files' }
  const { of } = world.integrations
  const newer = { id: 'client-2', secret: new Secret('newer secret') }
  let followed = 0
  world.followSettings = async () => {
    followed++
    world.integrations.of = (at) => {
      const found = of(at)
      return found && { ...found, client: newer, earlierClients: found.client ? [found.client] : [] }
    }
    return { text: '{}', tag: '' }
  }

  const known = await findIssuing(world, owner, 'client-1')
  const before = followed
  const [begun, earlier, unknown] = [
    await findIssuing(world, owner, 'client-2'),
    await findIssuing(world, owner, 'client-1'),
    await findIssuing(world, owner, 'client-0'),
  ]

  expect([known, begun, earlier, unknown].map(({ client }) => client.id)).toEqual([
    'client-1',
    'client-2',
    'client-1',
    'client-2',
  ])
  expect([before, followed]).toEqual([0, 2])
})
