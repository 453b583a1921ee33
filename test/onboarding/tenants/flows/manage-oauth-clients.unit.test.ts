import { beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import {
  deleteOwnClient,
  listOwnClients,
  putOwnClient,
} from '../../../../src/onboarding/tenants/flows/manage-oauth-clients.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const own = { id: 'own-client', secret: new Secret('own secret') }
const about = { actor: byKey, tenant: 'acme', integration: 'files' }

test('a tenant sets its own client, lists it without its secret and deletes it', async () => {
  const caller = ofTenant('acme')
  await putOwnClient(world, { caller, ...about, client: own })
  const listed = await listOwnClients(world, { caller, tenant: 'acme' })
  await deleteOwnClient(world, { caller, ...about })

  expect(listed).toMatchObject([{ clientId: 'own-client', hasSecret: true, method: 'client_secret_post' }])
  expect(JSON.stringify(listed)).not.toContain('own secret')
  expect(await listOwnClients(world, { caller, tenant: 'acme' })).toEqual([])
})

test('a client without a secret uses no client authentication', async () => {
  await putOwnClient(world, { caller: operator, ...about, client: { id: 'public', secret: undefined } })

  expect(await listOwnClients(world, { caller: operator, tenant: 'acme' })).toMatchObject([{ method: 'none' }])
})

test('the client of a removed integration is still listed', async () => {
  await putOwnClient(world, { caller: operator, ...about, client: own })
  world.removeIntegration('files')

  expect(await listOwnClients(world, { caller: operator, tenant: 'acme' })).toMatchObject([{ method: undefined }])
})

test('rejects a client for an unknown integration or tenant', async () => {
  const request = { caller: operator, ...about, client: own }

  await expect(putOwnClient(world, { ...request, integration: 'fax' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(putOwnClient(world, { ...request, tenant: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(deleteOwnClient(world, request)).rejects.toMatchObject({ code: 'not_found' })
  expect(world.actions()).toEqual(['tenant.put'])
})

test('rejects a client for a tenant that is being deleted', async () => {
  await world.deletions.open('acme', byKey, auditEntry('tenant.deletion_started'))

  await expect(putOwnClient(world, { caller: operator, ...about, client: own })).rejects.toMatchObject({
    code: 'tenant_deleted',
  })
})
