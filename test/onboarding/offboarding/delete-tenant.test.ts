import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TenantDeletions } from '../../../src/onboarding/domain/ports/offboarding.ts'
import { answering, startReceiver, type WebhookReceiver } from '../../support/doubles/webhook-receiver.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

/** Where the process dies next: before or after one of the calls that write a deletion down. */
let death: { at: 'before' | 'after'; call: 'move' | 'announce' | 'finish' } | undefined

let world: RelinkWorld
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startRelinking({
    egressAllow: [receiver.host],
    replace: ({ deletions }) => ({ deletions: mortal(deletions) }),
  })
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

function mortal(deletions: TenantDeletions): TenantDeletions {
  const dying =
    <A extends unknown[], R>(call: 'move' | 'announce' | 'finish', act: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      const dies = death?.call === call ? death.at : undefined
      if (dies) death = undefined
      if (dies === 'before') throw new Error('killed')
      const result = await act(...given)
      if (dies === 'after') throw new Error('killed')
      return result
    }
  return {
    ...deletions,
    move: dying('move', deletions.move),
    announce: dying('announce', deletions.announce),
    finish: dying('finish', deletions.finish),
  }
}

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

/** As if the sweep came by, and the memory of other processes were over. */
async function sweep(): Promise<void> {
  await world.sql.query(
    `update tenant_deletions set due_at = now(), created_at = now() - interval '1 minute' where due_at is not null`,
  )
  await world.flows.resumeDeletions()
  await world.flows.resumeTasks()
  await (await world.flows.deliverWebhooks()).done
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

test('everything of a deleted tenant ends: sessions, links, connections, keys, clients and secrets', async () => {
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

test('its endpoints are told of every end and of their own, and then they are deleted', async () => {
  await makeTenant('told')
  receiver.calm()
  await world.api('POST', '/tenants/told/webhooks', { url: receiver.url })
  await world.link({ tenantId: 'told' })

  await erase('told')
  await untilDeleted('told')

  const types = receiver.messages.map(({ body }) => JSON.parse(body).type)
  expect(types.sort()).toEqual(['connection.disconnected', 'link.succeeded', 'tenant.deleted'])
  expect(await rowsOf('select 1 from webhooks where tenant = $1', 'told')).toEqual([])
})

test('an endpoint that never answers keeps a tenant for a day at most', async () => {
  await makeTenant('deaf')
  await world.api('POST', '/tenants/deaf/webhooks', { url: receiver.url })
  receiver.receive = answering(500)
  await erase('deaf')
  for (let round = 0; round < 4; round++) await sweep()

  expect(await deletionOf('deaf')).toMatchObject({ status: 'pending', step: 'notify' })

  await world.sql.query(`update tenant_deletions set step_since = now() - interval '25 hours' where tenant = 'deaf'`)
  await untilDeleted('deaf')
  receiver.calm()
})

test('a link that needs attention is revoked, not waited for', async () => {
  await makeTenant('stuck')
  world.platform.fault = () => 422
  const minted = await world.mint({ tenantId: 'stuck' })
  await world.complete(minted, (await world.consent(minted)).query)
  world.platform.fault = undefined

  await erase('stuck')
  await untilDeleted('stuck')

  expect(await world.linkBy(minted.id)).toMatchObject({ status: 'failed' })
  expect(await rowsOf('select 1 from escrow join links on links.id = link_id where tenant = $1', 'stuck')).toEqual([])
})

describe('a process that dies in the middle', () => {
  const deaths = (['move', 'announce', 'finish'] as const).flatMap((call) =>
    (['before', 'after'] as const).map((at) => ({ call, at })),
  )

  test.each(deaths)('$at $call leaves a deletion that the next sweep carries on', async ({ call, at }) => {
    const id = `mortal-${call}-${at}`
    await makeTenant(id)
    const connection = await world.link({ tenantId: id })
    death = { call, at }

    await erase(id)
    for (let round = 0; round < 20 && death; round++) await sweep().catch(() => undefined)
    await untilDeleted(id)

    expect(death).toBeUndefined()
    expect(await world.connection(connection)).toMatchObject({ status: 'disconnected' })
    const events = await rowsOf('select event from outbox where tenant = $1 order by id', id)
    expect(events.map(({ event }) => event)).toEqual(['link.succeeded', 'connection.disconnected', 'tenant.deleted'])
    expect(await auditOf(id, 'tenant.deleted')).toHaveLength(1)
  })
})

test('to delete it again changes nothing, before and after the end', async () => {
  await makeTenant('twice')
  const first = await erase('twice')
  const second = await erase('twice')
  await untilDeleted('twice')
  const third = await erase('twice')

  expect([first.status, second.status, third.status]).toEqual([202, 202, 202])
  expect(second.body.startedAt).toBe(first.body.startedAt)
  expect(third.body).toMatchObject({ status: 'done' })
  expect(await auditOf('twice', 'tenant.deletion_started')).toHaveLength(1)
})

test('somebody else’s key finds no such tenant, and its own may not delete it', async () => {
  await makeTenant('mine')
  await makeTenant('theirs')
  const asMine = world.apiAs(await keyOf('mine'))

  const [foreign, missing] = [await asMine('DELETE', '/tenants/theirs'), await asMine('DELETE', '/tenants/none')]

  expect([foreign.status, missing.status]).toEqual([404, 404])
  expect((await asMine('GET', '/tenants/theirs/deletion')).status).toBe(404)
  expect((await asMine('DELETE', '/tenants/mine')).body).toMatchObject({ code: 'key_limited' })
  expect(await tenantOf('theirs')).toMatchObject({ status: 'active' })
})

test('nothing begins for a tenant that is being deleted, and its id is never used again', async () => {
  await makeTenant('gone')
  const connection = await world.link({ tenantId: 'gone' })
  await erase('gone')
  const challenge = { completionChallenge: 'c'.repeat(43), returnUrl }
  const session = { tenantId: 'gone', integrationId: 'provider', endUser: { id: 'u' }, ...challenge }
  const asks: Array<[string, string, object]> = [
    ['POST', '/connect-sessions', session],
    ['POST', `/connections/${connection}/relink-sessions`, { reason: 'any' }],
    ['POST', '/tenants/gone/webhooks', { url: receiver.url }],
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
