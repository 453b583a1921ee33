// Tenants that ask for `audit.recorded` get their own audit in batches, through their webhooks.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { sealAudit } from '../../../src/onboarding/flows/seal-audit.ts'
import { webhookSender } from '../../../src/onboarding/webhooks/adapters/webhook-sender.ts'
import { deliverWebhooks } from '../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { answering, startReceiver, verified, type WebhookReceiver } from '../../support/doubles/webhook-receiver.ts'
import { fullEntry } from '../../support/worlds/audit-world.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

type AuditRecord = { position: number; body: { id: string; tenantId: string }; personal?: object; hidden?: object }
type Batch = { tenantId: string; first: number; last: number; records: AuditRecord[]; head?: string }

let world: OnboardingWorld
let receiver: WebhookReceiver
let other: WebhookReceiver
let fetch: ReturnType<typeof guardedFetch>
beforeAll(async () => {
  ;[receiver, other] = await Promise.all([startReceiver(), startReceiver()])
  fetch = guardedFetch({ allow: [receiver.host, other.host] })
  world = await startOnboarding({ replace: () => ({ webhookSender: webhookSender(fetch) }) })
  await putTenant('beta')
})
afterEach(async () => {
  receiver.calm()
  other.calm()
  await world.sql.query('delete from webhooks')
  await seal()
})
afterAll(async () => {
  await world.close()
  await Promise.all([receiver.close(), other.close(), fetch.close()])
})

const putTenant = (id: string) =>
  world.api('PUT', `/tenants/${id}`, { workspace: id, displayName: id, returnUrls: ['https://acme.example/'] })

const seal = () => sealAudit(world.ports)

const add = async (count: number, tenant = 'acme') => {
  for (let at = 0; at < count; at++) await world.ports.audit.note(fullEntry(at, { tenant }))
}

async function subscribe(to: WebhookReceiver, { tenant = 'acme', events = ['audit.recorded'] } = {}) {
  await seal()
  const { body } = await world.api('POST', `/tenants/${tenant}/webhooks`, { url: to.url, events })
  await seal()
  await deliver()
  to.calm()
  return body.secret as string
}

async function deliver() {
  const round = deliverWebhooks(world.ports)
  for (;;) {
    const { count, done } = await round()
    await done
    if (count === 0) return
  }
}

const batches = (secret: string, { messages }: WebhookReceiver = receiver) =>
  messages
    .map((message) => verified(secret, message))
    .filter(({ type }) => type === 'audit.recorded')
    .map(({ data }) => data as unknown as Batch)

const outbox = async () =>
  (await world.sql.query(`select id, tenant, payload from outbox where event = 'audit.recorded' order by id`)).rows

test('a tenant gets its own entries alone, as its API shows them', async () => {
  const secret = await subscribe(receiver)
  const theirs = await subscribe(other, { tenant: 'beta' })
  await add(2)
  await add(1, 'beta')
  await world.ports.audit.note(fullEntry(1, { tenant: undefined }))
  await seal()
  await deliver()

  const [batch, ...rest] = batches(secret)
  if (!batch) throw new Error('nothing was sent')
  const { body } = await world.api('GET', `/audit/records?tenantId=acme&limit=200`)
  const own = body.data.filter(({ position }: AuditRecord) => position >= batch.first && position <= batch.last)
  const shown = own.map(({ hidden: _, ...record }: AuditRecord) => record)
  expect(rest).toEqual([])
  expect(batch.records).toEqual(shown)
  expect(batch.records).toHaveLength(2)
  expect(batch.records[0]).toMatchObject({ personal: { reason: 'ticket 0' }, body: { tenantId: 'acme' } })
  expect(JSON.stringify(batch)).not.toContain('203.0.113.7')
  expect(JSON.parse(Buffer.from(String(batch.head?.split('.')[1]), 'base64url').toString())).toMatchObject({
    tenantId: 'acme',
    position: batch.last,
  })
  const foreign = batches(theirs, other).flatMap(({ records }) => records)
  expect(foreign.map(({ body: { tenantId } }) => tenantId)).toEqual(['beta'])
})

test('an endpoint that does not name the event gets none, and without such an endpoint there is none', async () => {
  const before = (await outbox()).length
  const { body } = await world.api('POST', '/tenants/acme/webhooks', { url: receiver.url })
  await add(1)
  await seal()
  await deliver()

  expect(body.events).not.toContain('audit.recorded')
  expect(receiver.messages).toEqual([])
  expect(await outbox()).toHaveLength(before)
})

test('many entries are batches of at most a hundred, without a gap', async () => {
  const secret = await subscribe(receiver)
  await add(250)
  await seal()
  await deliver()

  const sorted = batches(secret).sort((one, next) => one.first - next.first)
  expect(sorted.map(({ records }) => records.length)).toEqual([100, 100, 50])
  expect(sorted.slice(1).map(({ first }) => first)).toEqual(sorted.slice(0, -1).map(({ last }) => last + 1))
})

test('a batch holds no personal data until it is sent, so that an erasure reaches it', async () => {
  const secret = await subscribe(receiver)
  receiver.receive = answering(500)
  await add(1)
  await seal()
  await deliver()
  const [event] = (await outbox()).slice(-1)
  await world.sql.query(
    `insert into erasures (id, tenant, subject, end_user_id, step, actor)
     values ('ers_1', 'acme', 'ers_1', 'u', 'erasing', '{}')`,
  )
  await world.sql.query(
    `update audit set erasure = 'ers_1', reason = null, before = before || '{"account": null}',
       after = after || '{"account": null}', address = null
     where tenant = 'acme' and connection = 'con_0' and erasure is null`,
  )
  receiver.receive = answering(204)
  await world.sql.query(`update webhook_deliveries set due_at = now() where status = 'pending'`)
  await deliver()

  const [first, again] = batches(secret)
  expect(event.payload).toEqual({ first: first?.first, last: first?.last })
  expect(JSON.stringify(first)).toContain('user@provider.example')
  expect(JSON.stringify(again)).not.toContain('user@provider.example')
  expect(again?.records).toHaveLength(1)
})

test('a blocked address of a receiver adds no audit entry, which would be another message', async () => {
  await subscribe(receiver)
  await world.sql.query(`update webhooks set url = 'https://127.0.0.1/'`)
  await add(1)
  await seal()
  await deliver()
  const before = (await outbox()).length
  await seal()

  expect(await outbox()).toHaveLength(before)
})

test('a tenant that is being deleted gets no batch, so that its last message stays the last', async () => {
  await putTenant('leaving')
  await subscribe(receiver, { tenant: 'leaving' })
  await world.sql.query(`update tenants set status = 'deleting' where id = 'leaving'`)
  await add(1, 'leaving')
  await seal()
  await deliver()

  expect(receiver.messages).toEqual([])
})

test('the list of events has the records as well', async () => {
  await subscribe(receiver)
  await add(1)
  await seal()
  const { body } = await world.api('GET', '/tenants/acme/events?order=newest&limit=1')
  expect(body.data).toMatchObject([
    { type: 'audit.recorded', data: { records: [{ personal: { reason: 'ticket 0' } }] } },
  ])
})
