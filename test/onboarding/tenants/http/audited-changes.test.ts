import { afterAll, beforeAll, expect, test } from 'vitest'
import { type OnboardingWorld, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

type Change = { action: string; before: object | null; after: object | null }

/** The audit entries of a tenant's changes, in order. */
async function changesOf(tenant: string): Promise<Change[]> {
  const { rows } = await world.sql.query('select action, before, after from audit where tenant = $1 order by id', [
    tenant,
  ])
  return rows
}

const fingerprint = expect.stringMatching(/^[0-9a-f]{12}$/)

test('a tenant change is audited with before and after', async () => {
  const first = { workspace: 'globex', displayName: 'Globex', returnUrls: ['https://globex.example/a'] }
  const second = { ...first, displayName: 'Globex Ltd', returnUrls: ['https://globex.example/b'] }

  await world.api('PUT', '/tenants/globex', first)
  await world.api('PUT', '/tenants/globex', second)

  expect(await changesOf('globex')).toEqual([
    { action: 'tenant.put', before: null, after: first },
    { action: 'tenant.put', before: first, after: second },
  ])
})

test('concurrent changes of a tenant are audited in order', async () => {
  const tenant = { workspace: 'umbrella', displayName: 'Umbrella', returnUrls: ['https://umbrella.example/'] }
  const names = Array.from({ length: 10 }, (_, index) => `Umbrella ${index}`)

  await Promise.all(names.map((displayName) => world.api('PUT', '/tenants/umbrella', { ...tenant, displayName })))

  const changes = (await changesOf('umbrella')).map(({ before, after }) => [before, after])
  expect(changes.filter(([before]) => before === null)).toHaveLength(1)
  expect(new Set(changes.map(([before]) => JSON.stringify(before))).size).toBe(names.length)
})

test('an OAuth client change is audited with a fingerprint of its secret', async () => {
  await world.api('PUT', '/tenants/initech', {
    workspace: 'initech',
    displayName: 'I',
    returnUrls: ['https://i.example/'],
  })
  const path = '/tenants/initech/oauth-clients/provider'

  await world.api('PUT', path, { clientId: 'one', clientSecret: 'CANARY-ONE' })
  await world.api('PUT', path, { clientId: 'one', clientSecret: 'CANARY-TWO' })
  await world.api('PUT', path, { clientId: 'two' })
  await world.api('DELETE', path)

  const [, made, changed, bared, deleted] = await changesOf('initech')
  const client = { integration: 'provider', clientId: 'one', secretFingerprint: fingerprint }
  const bare = { integration: 'provider', clientId: 'two', secretFingerprint: null }
  expect(made).toEqual({ action: 'tenant.oauth_client_put', before: null, after: client })
  expect(changed).toEqual({ action: 'tenant.oauth_client_put', before: made?.after, after: client })
  expect(changed?.after).not.toEqual(changed?.before)
  expect(bared).toEqual({ action: 'tenant.oauth_client_put', before: changed?.after, after: bare })
  expect(deleted).toEqual({ action: 'tenant.oauth_client_deleted', before: bare, after: null })
})

test('a client that cannot be decrypted can be replaced and deleted', async () => {
  await world.api('PUT', '/tenants/hooli', { workspace: 'hooli', displayName: 'H', returnUrls: ['https://h.example/'] })
  const path = '/tenants/hooli/oauth-clients/provider'
  const lose = () =>
    world.sql.query(`update tenant_oauth_clients set client_secret = 'v1.lost.x.y' where tenant = 'hooli'`)
  await world.api('PUT', path, { clientId: 'one', clientSecret: 'CANARY-ONE' })
  await lose()

  const replaced = await world.api('PUT', path, { clientId: 'one', clientSecret: 'CANARY-TWO' })
  await lose()
  const deleted = await world.api('DELETE', path)

  expect([replaced.status, deleted.status]).toEqual([200, 204])
  expect((await changesOf('hooli')).at(-1)?.before).toMatchObject({ secretFingerprint: 'unreadable' })
})

test('a webhook change is audited with fingerprints and the origin of its URL', async () => {
  await world.api('PUT', '/tenants/stark', { workspace: 'stark', displayName: 'S', returnUrls: ['https://s.example/'] })
  const asked = { url: 'https://hooks.stark.example/in/CANARY-PATH?token=CANARY', events: ['link.failed'] }
  const { body } = await world.api('POST', '/tenants/stark/webhooks', asked)
  const path = `/tenants/stark/webhooks/${body.id}`
  const active = { webhook: body.id, url: 'https://hooks.stark.example', events: ['link.failed'], status: 'active' }
  const disabled = { ...active, status: 'disabled' }

  await world.api('POST', `${path}/rotate-secret`)
  await world.sql.query(`update webhooks set status = 'disabled' where id = $1`, [body.id])
  await world.api('POST', `${path}/enable`)
  await world.api('DELETE', path)

  const [, created, rotated, enabled, deleted] = await changesOf('stark')
  const withSecret = { ...active, secretFingerprint: fingerprint }
  expect(created).toEqual({ action: 'webhook.created', before: null, after: withSecret })
  expect(rotated).toEqual({ action: 'webhook.secret_rotated', before: active, after: withSecret })
  expect(rotated?.after).not.toEqual(created?.after)
  expect(enabled).toEqual({ action: 'webhook.enabled', before: disabled, after: active })
  expect(deleted).toEqual({ action: 'webhook.deleted', before: active, after: null })
})

test('the audit log contains no secret of a tenant, client or webhook', async () => {
  const { rows } = await world.sql.query('select * from audit')

  expect(rows.length).toBeGreaterThan(10)
  expect(JSON.stringify(rows)).not.toMatch(/CANARY|whsec_/)
})
