import { afterAll, beforeAll, expect, test } from 'vitest'
import { resumeTasks } from '../../../src/onboarding/connections/flows/work-on-task.ts'
import { resumeDeletions } from '../../../src/onboarding/offboarding/flows/work-on-deletion.ts'
import { deliverWebhooks } from '../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld

beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

const tenantBody = (workspace: string) => ({ workspace, displayName: 'Doomed', returnUrls: [returnUrl] })

async function makeTenant(id: string): Promise<void> {
  await world.api('PUT', `/tenants/${id}`, tenantBody(id))
}

const keyOf = async (tenant: string) => {
  const created = await world.world.apiKeys.create({ name: tenant, tenant }, { kind: 'operator' })
  return created.key.reveal()
}

const erase = (id: string) => world.api('DELETE', `/tenants/${id}`)

const tenantOf = async (id: string) => (await world.api('GET', `/tenants/${id}`)).body

const deletionOf = async (id: string) => (await world.api('GET', `/tenants/${id}/deletion`)).body

/** Runs a sweep after the caches of other processes have expired. */
async function sweep(): Promise<void> {
  await world.sql.query(
    `update tenant_deletions set due_at = now(), created_at = now() - interval '1 minute' where due_at is not null`,
  )
  await resumeDeletions(world.ports, world.settings)
  await resumeTasks(world.ports, world.settings)
  await (await deliverWebhooks(world.ports)()).done
}

async function untilDeleted(id: string): Promise<void> {
  for (let round = 0; round < 20; round++) {
    if ((await deletionOf(id)).status === 'done') return
    await sweep()
  }
  throw new Error(`not deleted: ${JSON.stringify(await deletionOf(id))}`)
}

const rowsOf = async (query: string, tenant: string) => (await world.sql.query(query, [tenant])).rows

const auditOf = async (tenant: string, action: string) =>
  rowsOf(`select id from audit where tenant = $1 and action = '${action}'`, tenant)

test('deleting a tenant ends its sessions, links, connections, keys, clients and secrets', async () => {
  await makeTenant('doomed')
  const key = await keyOf('doomed')
  await world.api('PUT', '/tenants/doomed/oauth-clients/gmail', { clientId: 'a', clientSecret: 'b' })
  const connection = await world.link({ tenantId: 'doomed' })
  const open = await world.mint({ tenantId: 'doomed' })
  const started = await world.mint({ tenantId: 'doomed' })
  await world.untilCallback(started)

  const { status, body } = await erase('doomed')
  const meanwhile = await tenantOf('doomed')
  await untilDeleted('doomed')

  expect([status, body.tenantId, body.status]).toEqual([202, 'doomed', 'pending'])
  expect(meanwhile).toMatchObject({ status: 'deleting' })
  expect(await tenantOf('doomed')).toMatchObject({ status: 'deleted', returnUrls: [] })
  expect(await world.connection(connection)).toMatchObject({ status: 'disconnected' })
  expect((await world.api('GET', `/connect-sessions/${open.id}`)).body).toMatchObject({ status: 'cancelled' })
  expect(await world.linkBy(started.id)).toMatchObject({ status: 'abandoned', cause: { code: 'session_cancelled' } })
  expect((await world.apiAs(key)('GET', '/tenants')).status).toBe(401)
  expect(await rowsOf('select 1 from tenant_oauth_clients where tenant = $1', 'doomed')).toEqual([])
  expect(await rowsOf('select signing_secret from tenants where id = $1', 'doomed')).toEqual([{ signing_secret: null }])
  expect(await deletionOf('doomed')).toMatchObject({ status: 'done', connectionsLeft: 0 })
  expect(await auditOf('doomed', 'tenant.deleted')).toHaveLength(1)
})

test('a tenant that is being deleted accepts no changes, and its ID is never reused', async () => {
  await makeTenant('gone')
  const connection = await world.link({ tenantId: 'gone' })
  await erase('gone')
  const challenge = { completionChallenge: 'c'.repeat(43), returnUrl }
  const session = { tenantId: 'gone', integrationId: 'provider', endUser: { id: 'u' }, ...challenge }
  const asks: Array<[string, string, object]> = [
    ['POST', '/connect-sessions', session],
    ['POST', `/connections/${connection}/relink-sessions`, { reason: 'any' }],
    ['POST', '/tenants/gone/webhooks', { url: 'https://hooks.example/' }],
    ['PUT', '/tenants/gone/oauth-clients/gmail', { clientId: 'a' }],
    ['PUT', '/tenants/gone', tenantBody('gone')],
    ['PATCH', '/tenants/gone', { displayName: 'Alive' }],
  ]

  for (const ask of asks) expect([ask, (await world.api(...ask)).body.code]).toEqual([ask, 'tenant_deleted'])
  await untilDeleted('gone')
  for (const ask of asks.filter(([, path]) => !path.startsWith('/connections'))) {
    expect([ask, (await world.api(...ask)).body.code]).toEqual([ask, 'tenant_deleted'])
  }
  expect((await world.api('POST', '/tenants', { id: 'gone', ...tenantBody('new') })).body.code).toBe('tenant_exists')
  expect((await world.api('POST', '/tenants', tenantBody('gone'))).status).toBe(201)
  const { data } = (await world.api('GET', '/tenants')).body
  expect(data.map(({ id }: { id: string }) => id)).not.toContain('gone')
})
