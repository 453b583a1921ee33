import { expect, test } from 'vitest'
import { listIntegrations } from '../../../../src/onboarding/tenants/flows/browse-catalogue.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

test('an integration is available if the deployment or the tenant has a client', async () => {
  const world = await openMemoryWorld()
  await world.addTenant('other')
  const own = { id: 'own-client', secret: undefined }
  await world.tenants.putOwnClient('acme', 'mail', own, auditEntry('tenant.oauth_client_put'))
  const available = async (caller: typeof operator | ReturnType<typeof ofTenant>) =>
    Object.fromEntries(
      (await listIntegrations(world, { caller, limit: 50 })).data.map(({ item, available }) => [item.id, available]),
    )

  expect(await available(ofTenant('acme'))).toEqual({ files: true, mail: true })
  expect(await available(ofTenant('other'))).toEqual({ files: true, mail: false })
  expect(await available(operator)).toEqual({ files: true, mail: false })
})

test('lists only available integrations on request', async () => {
  const world = await openMemoryWorld()

  const { data } = await listIntegrations(world, { caller: operator, available: true, limit: 50 })

  expect(data.map(({ item }) => item.id)).toEqual(['files'])
})
