import { beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import {
  deleteOwnClient,
  listOwnClients,
  listTenants,
  putOwnClient,
  putTenant,
  readTenant,
  rotateSigningSecret,
} from '../../../../src/onboarding/tenants/flows/manage-tenants.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const tenant = { id: 'new', workspace: 'new', displayName: 'New', returnUrls: [] }
const own = { id: 'own-client', secret: new Secret('own secret') }
const about = { actor: byKey, tenant: 'acme', integration: 'files' }
const anyone = { cursor: undefined, limit: 10 }

test('the signing secret is shown when the tenant is made, and never again', async () => {
  const made = await putTenant(world)({ caller: operator, actor: byKey, tenant })
  const changed = await putTenant(world)({ caller: operator, actor: byKey, tenant })

  expect(made.signingSecret?.reveal()).toBe((await world.tenants.signingSecret('new')).reveal())
  expect(changed.signingSecret).toBeUndefined()
})

test('a key of a tenant changes no tenant, not even its own', async () => {
  const caller = ofTenant('acme')

  await expect(putTenant(world)({ caller, actor: byKey, tenant })).rejects.toMatchObject({ code: 'key_limited' })
  await expect(rotateSigningSecret(world)({ caller, actor: byKey, id: 'acme', afterSeconds: 0 })).rejects.toMatchObject(
    { code: 'key_limited' },
  )
  expect(await world.tenants.find('new')).toBeUndefined()
})

test('a rotated secret is handed over now and signs from its time on', async () => {
  const request = { caller: operator, actor: byKey, id: 'acme', afterSeconds: 60 }

  const { signingSecret, signsFrom } = await rotateSigningSecret(world)(request)
  const before = await world.tenants.signingSecret('acme')
  world.clock.pass(60)

  expect(signsFrom).toEqual(world.now())
  expect(before.reveal()).not.toBe(signingSecret.reveal())
  expect((await world.tenants.signingSecret('acme')).reveal()).toBe(signingSecret.reveal())
})

test('the record of a rotation does not hold the secret', async () => {
  const { signingSecret } = await rotateSigningSecret(world)({
    caller: operator,
    actor: byKey,
    id: 'acme',
    afterSeconds: 0,
  })

  expect(JSON.stringify(world.tables.audit)).not.toContain(signingSecret.reveal())
})

test('the secret of a tenant that is not there cannot be rotated', async () => {
  await expect(
    rotateSigningSecret(world)({ caller: operator, actor: byKey, id: 'nobody', afterSeconds: 0 }),
  ).rejects.toMatchObject({ code: 'not_found' })
})

test('a tenant reads itself; another one reads like a missing one, and the record can name it', async () => {
  await world.addTenant('other')

  expect(await readTenant(world)({ caller: ofTenant('acme'), id: 'acme' })).toMatchObject({ id: 'acme' })
  await expect(readTenant(world)({ caller: ofTenant('acme'), id: 'other' })).rejects.toMatchObject({
    code: 'not_found',
    more: { owner: 'other' },
  })
  await expect(readTenant(world)({ caller: operator, id: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
})

test('a key of the deployment lists every tenant, a tenant itself alone', async () => {
  await world.addTenant('other')
  const listed = async (caller: typeof operator | ReturnType<typeof ofTenant>) =>
    (await listTenants(world)({ caller, ...anyone })).data.map(({ id }) => id)

  expect(await listed(operator)).toEqual(['acme', 'other'])
  expect(await listed(ofTenant('acme'))).toEqual(['acme'])
  expect(await listed(ofTenant('gone'))).toEqual([])
})

test('a tenant brings its own client, lists it without its secret, and takes it away', async () => {
  const caller = ofTenant('acme')
  await putOwnClient(world)({ caller, ...about, client: own })
  const listed = await listOwnClients(world)({ caller, tenant: 'acme' })
  await deleteOwnClient(world)({ caller, ...about })

  expect(listed).toMatchObject([{ clientId: 'own-client', hasSecret: true, method: 'client_secret_post' }])
  expect(JSON.stringify(listed)).not.toContain('own secret')
  expect(await listOwnClients(world)({ caller, tenant: 'acme' })).toEqual([])
})

test('a client without a secret proves itself with none', async () => {
  await putOwnClient(world)({ caller: operator, ...about, client: { id: 'public', secret: undefined } })

  expect(await listOwnClients(world)({ caller: operator, tenant: 'acme' })).toMatchObject([{ method: 'none' }])
})

test('a client of an integration that was taken away is still listed', async () => {
  await putOwnClient(world)({ caller: operator, ...about, client: own })
  world.removeIntegration('files')

  expect(await listOwnClients(world)({ caller: operator, tenant: 'acme' })).toMatchObject([{ method: undefined }])
})

test('a client is brought for an integration and a tenant that are there', async () => {
  const request = { caller: operator, ...about, client: own }

  await expect(putOwnClient(world)({ ...request, integration: 'fax' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(putOwnClient(world)({ ...request, tenant: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
  await expect(deleteOwnClient(world)(request)).rejects.toMatchObject({ code: 'not_found' })
  expect(world.actions()).toEqual(['tenant.put'])
})
