import { beforeEach, describe, expect, test } from 'vitest'
import { DependencyError } from '../../../../src/onboarding/domain/dependency-error.ts'
import {
  createTenant,
  listTenants,
  putTenant,
  reactivateTenant,
  readTenant,
  rotateSigningSecret,
  suspendTenant,
  updateTenant,
} from '../../../../src/onboarding/tenants/flows/manage-tenants.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { byKey, type MemoryWorld, ofTenant, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const tenant = { id: 'new', workspace: 'new', displayName: 'New', returnUrls: [] }
const anyone = { cursor: undefined, limit: 10 }

test('shows the signing secret only when the tenant is created', async () => {
  const made = await putTenant(world, { caller: operator, actor: byKey, tenant })
  const changed = await putTenant(world, { caller: operator, actor: byKey, tenant })

  expect(made.signingSecret?.reveal()).toBe((await world.tenants.signingSecret('new')).reveal())
  expect(changed.signingSecret).toBeUndefined()
})

test('a tenant’s key cannot change tenants, not even its own', async () => {
  const caller = ofTenant('acme')

  await expect(putTenant(world, { caller, actor: byKey, tenant })).rejects.toMatchObject({ code: 'key_limited' })
  await expect(rotateSigningSecret(world, { caller, actor: byKey, id: 'acme', afterSeconds: 0 })).rejects.toMatchObject(
    { code: 'key_limited' },
  )
  expect(await world.tenants.find('new')).toBeUndefined()
})

test('a tenant’s key cannot suspend or reactivate tenants', async () => {
  const request = { caller: ofTenant('acme'), actor: byKey, id: 'acme' }

  await expect(suspendTenant(world, request)).rejects.toMatchObject({ code: 'key_limited' })
  await suspendTenant(world, { ...request, caller: operator })
  await expect(reactivateTenant(world, request)).rejects.toMatchObject({ code: 'key_limited' })
  expect(await world.tenants.find('acme')).toMatchObject({ status: 'suspended' })
})

test('audits a repeated suspension once, with its reason', async () => {
  const request = { caller: operator, actor: byKey, id: 'acme', reason: 'unpaid' }

  await suspendTenant(world, request)
  expect(await suspendTenant(world, request)).toMatchObject({ status: 'suspended' })

  const entries = world.tables.audit.map(({ entry }) => entry).filter(({ action }) => action === 'tenant.suspended')
  expect(entries).toMatchObject([{ reason: 'unpaid', before: { status: 'active' }, after: { status: 'suspended' } }])
})

test('a rotated secret is returned immediately and signs from its start time', async () => {
  const request = { caller: operator, actor: byKey, id: 'acme', afterSeconds: 60 }

  const { secret, activeFrom } = await rotateSigningSecret(world, request)
  const before = await world.tenants.signingSecret('acme')
  world.clock.pass(60)

  expect(activeFrom).toEqual(world.now())
  expect(before.reveal()).not.toBe(secret.reveal())
  expect((await world.tenants.signingSecret('acme')).reveal()).toBe(secret.reveal())
})

test('the audit entry of a rotation does not contain the secret', async () => {
  const { secret } = await rotateSigningSecret(world, {
    caller: operator,
    actor: byKey,
    id: 'acme',
    afterSeconds: 0,
  })

  expect(JSON.stringify(world.tables.audit)).not.toContain(secret.reveal())
})

test('rejects a rotation for a missing tenant', async () => {
  await expect(
    rotateSigningSecret(world, { caller: operator, actor: byKey, id: 'nobody', afterSeconds: 0 }),
  ).rejects.toMatchObject({ code: 'not_found' })
})

test('a tenant reads itself, and another tenant reads like a missing one', async () => {
  await world.addTenant('other')

  expect(await readTenant(world, { caller: ofTenant('acme'), id: 'acme' })).toMatchObject({ id: 'acme' })
  await expect(readTenant(world, { caller: ofTenant('acme'), id: 'other' })).rejects.toMatchObject({
    code: 'not_found',
    more: { owner: 'other' },
  })
  await expect(readTenant(world, { caller: operator, id: 'nobody' })).rejects.toMatchObject({ code: 'not_found' })
})

test.each([
  { testMode: true, id: 'acme', detail: 'This ID belongs to live mode, but the request used a test key.' },
  { testMode: true, id: 'nobody', detail: 'This ID belongs to live mode, but the request used a test key.' },
  { testMode: false, id: 'test_acme', detail: 'This ID belongs to test mode, but the request used a live key.' },
  { testMode: false, id: 'nobody', detail: 'There is no such tenant.' },
])('reports a key of the wrong mode, whether or not the tenant exists: $id', async ({ testMode, id, detail }) => {
  await expect(readTenant(world, { caller: { keyId: 'key_3', testMode }, id })).rejects.toMatchObject({
    code: 'not_found',
    detail,
  })
})

test('a deployment key lists all tenants, a tenant’s key only its own', async () => {
  await world.addTenant('other')
  const listed = async (caller: typeof operator | ReturnType<typeof ofTenant>) =>
    (await listTenants(world, { caller, ...anyone })).data.map(({ id }) => id)

  expect(await listed(operator)).toEqual(['acme', 'other'])
  expect(await listed(ofTenant('acme'))).toEqual(['acme'])
  expect(await listed(ofTenant('gone'))).toEqual([])
})

const details = { workspace: 'made', displayName: 'Made', returnUrls: [] }
const create = (more: Partial<Parameters<typeof createTenant>[1]> = {}) =>
  createTenant(world, { caller: operator, actor: byKey, id: undefined, details, claim: undefined, ...more })

test('a tenant without an ID gets one that is valid in a path', async () => {
  const { tenant, signingSecret } = await create()

  expect(tenant.id).toMatch(/^ten-[a-z0-9]+$/)
  expect((await world.tenants.signingSecret(tenant.id)).reveal()).toBe(signingSecret.reveal())
})

test('rejects an ID that is in use', async () => {
  await expect(create({ id: 'acme' })).rejects.toMatchObject({ code: 'tenant_exists' })
})

test('a retried request returns the same tenant and secret', async () => {
  const claim = { id: 'key', fence: 0, seed: world.tokens.id('idm'), isRetry: false }
  const first = await create({ claim })
  const second = await create({ claim: { ...claim, isRetry: true } })

  expect(second.tenant).toEqual(first.tenant)
  expect(second.signingSecret.reveal()).toBe(first.signingSecret.reveal())
})

test('an update changes the given fields, and is rejected for a missing tenant', async () => {
  const update = (id: string, caller: typeof operator | ReturnType<typeof ofTenant> = operator) =>
    updateTenant(world, { caller, actor: byKey, id, changes: { displayName: 'Acme Ltd' } })

  expect(await update('acme')).toMatchObject({ displayName: 'Acme Ltd', workspace: 'acme' })
  await expect(update('nobody')).rejects.toMatchObject({ code: 'not_found' })
  await expect(update('acme', ofTenant('acme'))).rejects.toMatchObject({ code: 'key_limited' })
})

test('rejects changes of a tenant that is being deleted', async () => {
  await world.deletions.open('acme', byKey, auditEntry('tenant.deletion_started'))
  const caller = operator

  await expect(
    updateTenant(world, { caller, actor: byKey, id: 'acme', changes: { displayName: 'x' } }),
  ).rejects.toMatchObject({ code: 'tenant_deleted' })
  await expect(rotateSigningSecret(world, { caller, actor: byKey, id: 'acme', afterSeconds: 0 })).rejects.toMatchObject(
    { code: 'tenant_deleted' },
  )
})

describe('O4: the workspace of a tenant', () => {
  const put = (workspace: string) =>
    putTenant(world, { caller: operator, actor: byKey, tenant: { ...tenant, workspace } })

  test('must exist on the platform, and is reported if it does not', async () => {
    world.platformProbe.answer = { ...world.platformProbe.answer, workspaces: ['known'] }

    await expect(put('misspelled')).rejects.toMatchObject({
      code: 'workspace_unknown',
      detail: expect.stringContaining('“misspelled”'),
    })
    expect((await put('known')).created).toBe(true)
    await expect(
      updateTenant(world, { caller: operator, actor: byKey, id: 'new', changes: { workspace: 'gone' } }),
    ).rejects.toMatchObject({ code: 'workspace_unknown' })
  })

  test('is accepted while the platform is unavailable', async () => {
    const problem = new DependencyError('platform_unavailable')
    world.platformProbe.answer = { ...world.platformProbe.answer, problem }

    expect((await put('anything')).created).toBe(true)
  })

  test('is not checked again if it is unchanged', async () => {
    await put('new')
    world.platformProbe.answer = { ...world.platformProbe.answer, workspaces: [] }

    expect((await put('new')).created).toBe(false)
  })
})
