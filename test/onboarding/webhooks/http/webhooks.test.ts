import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { answering, startReceiver, verified, type WebhookReceiver } from '../../../support/doubles/webhook-receiver.ts'
import { type OnboardingWorld, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let receiver: WebhookReceiver

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startOnboarding({ egressAllow: [receiver.host] })
})
afterEach(async () => {
  world.provider.calm()
  receiver.calm()
  await world.sql.query('delete from webhooks')
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

const create = (more: Record<string, unknown> = {}) =>
  world.api('POST', '/tenants/acme/webhooks', { url: receiver.url, ...more })

const deliveries = async (query = '') => (await world.api('GET', `/tenants/acme/webhook-deliveries${query}`)).body.data

async function link() {
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  return (await world.complete(minted, query)).body
}

async function deliver() {
  const { done } = await world.flows.deliverWebhooks()
  await done
}

test('S9: a host that is allowed for providers is none that a tenant can have called', async () => {
  const inner = await create({ url: `http://${world.provider.host}/hooks` })
  const allowed = await create()

  expect([inner.status, inner.body.errors?.[0]?.pointer]).toEqual([422, '/url'])
  expect(allowed.status).toBe(201)
})

test('a link that succeeds is told to the tenant, signed, thin, and once', async () => {
  const { body: webhook } = await create()
  const linked = await link()

  await deliver()
  await deliver()

  expect(receiver.messages).toHaveLength(1)
  const [message] = receiver.messages
  expect(message?.headers['webhook-id']).toMatch(/^evt_/)
  expect(verified(webhook.secret, message!)).toEqual({
    type: 'link.succeeded',
    timestamp: expect.any(String),
    data: {
      tenantId: 'acme',
      purpose: 'link',
      linkId: linked.id,
      connectSessionId: linked.connectSessionId,
      connectionId: linked.connection.id,
      integrationId: 'provider',
      endUser: { id: 'user-1' },
    },
  })
  expect(await deliveries()).toMatchObject([
    { webhookId: webhook.id, status: 'delivered', attempts: 1, responseStatus: 204 },
  ])
})

test('a link that fails is told with its cause and whose move it is', async () => {
  const { body: webhook } = await create()
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
  await world.consent(await world.mint())

  await deliver()

  expect(verified(webhook.secret, receiver.messages[0]!)).toMatchObject({
    type: 'link.failed',
    data: { cause: { code: 'consent_denied', whoseMove: 'user' } },
  })
})

test('a webhook hears only of the events it asked for', async () => {
  await create({ events: ['connection.needs_relink', 'link.failed'] })
  await link()

  await deliver()

  expect(receiver.messages).toEqual([])
})

test.each(['connection.relinked', 'connection.needs_relink', 'connection.disconnected'])(
  '%s goes out like any other event',
  async (event) => {
    const { body: webhook } = await create({ events: [event] })
    await world.sql.query(`insert into outbox (id, tenant, event, payload) values ($1, 'acme', $2, $3)`, [
      world.world.tokens.id('evt'),
      event,
      { connection: 'con_1' },
    ])

    await deliver()

    expect(verified(webhook.secret, receiver.messages[0]!)).toMatchObject({
      type: event,
      data: { connection: 'con_1' },
    })
  },
)

test('the secret is shown once, and no row holds it in clear', async () => {
  const { status, body } = await create()

  const listed = await world.api('GET', '/tenants/acme/webhooks')

  expect(status).toBe(201)
  expect(body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(listed.body.data).toEqual([expect.not.objectContaining({ secret: expect.anything() })])
  const { rows } = await world.sql.query('select secret from webhooks')
  expect(rows[0].secret).toMatch(/^v1\.test\./)
})

const rotate = (webhook: string) => world.api('POST', `/tenants/acme/webhooks/${webhook}/rotate-secret`)

/** Which of these secrets verify a message. */
const good = (secrets: string[], message: (typeof receiver.messages)[number]) =>
  secrets.filter((secret) => {
    try {
      return verified(secret, message)
    } catch {
      return false
    }
  })

/** As if the secret that was replaced first had been replaced a day ago. */
const endOldest = () =>
  world.sql.query(`update earlier_webhook_secrets set until = now() - interval '1 second'
    where until = (select min(until) from earlier_webhook_secrets)`)

test('rotated twice within a day, all three secrets verify every message, each until its own time is over', async () => {
  const { body: created } = await create()
  const { body: second } = await rotate(created.id)
  await world.sql.query(`update earlier_webhook_secrets set until = until - interval '6 hours'`)
  const { body: third } = await rotate(created.id)
  const secrets = [created.secret, second.secret, third.secret]
  await link()
  await deliver()

  await endOldest()
  await link()
  await deliver()

  expect(receiver.messages.map((message) => good(secrets, message))).toEqual([secrets, secrets.slice(1)])
  expect(receiver.messages[0]?.headers['webhook-signature']?.split(' ')).toHaveLength(3)
  expect(new Date(third.previousSecretExpiresAt).getTime()).toBeGreaterThan(Date.now() + 23 * 3_600_000)
})

test('when the overlap has passed, the secret before verifies nothing, and is deleted', async () => {
  const { body: created } = await create()
  await rotate(created.id)
  await endOldest()
  await link()

  await deliver()
  await world.flows.forgetOld()

  expect(good([created.secret], receiver.messages[0]!)).toEqual([])
  expect((await world.sql.query('select * from earlier_webhook_secrets')).rows).toEqual([])
  const [listed] = (await world.api('GET', '/tenants/acme/webhooks')).body.data
  expect(listed).not.toHaveProperty('previousSecretExpiresAt')
})

test('of many rotations at once five are made, none loses a secret, and the next has to wait for the oldest to end', async () => {
  const { body: created } = await create()

  const answers = await Promise.all(Array.from({ length: 12 }, () => rotate(created.id)))
  const { body: refused } = await rotate(created.id)
  await endOldest()
  const later = await rotate(created.id)
  await link()
  await deliver()

  const made = answers.filter(({ status }) => status === 200).map(({ body }) => body.secret)
  expect(made).toHaveLength(5)
  expect(refused).toMatchObject({
    status: 409,
    code: 'webhook_secret_limit',
    detail: expect.stringMatching(/ends at 20/),
  })
  expect(later.status).toBe(200)
  const [message] = receiver.messages
  expect(good([...made, later.body.secret], message!)).toEqual([...made, later.body.secret])
  expect(good([created.secret], message!)).toEqual([])
})

test('a deleted webhook hears nothing more', async () => {
  const { body: webhook } = await create()
  await link()

  const { status } = await world.api('DELETE', `/tenants/acme/webhooks/${webhook.id}`)
  await deliver()

  expect(status).toBe(204)
  expect(receiver.messages).toEqual([])
})

test('a replay sends the same event with the same id again, and the audit says who asked', async () => {
  await create()
  await link()
  await deliver()
  const [delivery] = await deliveries()

  const replayed = await world.api('POST', `/tenants/acme/webhook-deliveries/${delivery.id}/replay`)
  await deliver()

  expect(replayed).toMatchObject({ status: 200, body: { status: 'pending', attempts: 0 } })
  expect(receiver.messages.map(({ headers }) => headers['webhook-id'])).toEqual([delivery.event.id, delivery.event.id])
  expect((await world.audit('webhook.replayed')).map(({ subject_id }) => subject_id)).toContain(delivery.id)
})

test('deliveries are listed newest first, page by page and by status', async () => {
  await create()
  await link()
  await deliver()
  receiver.receive = answering(500)
  await link()
  await deliver()

  const first = await world.api('GET', '/tenants/acme/webhook-deliveries?limit=1')
  const second = await world.api('GET', `/tenants/acme/webhook-deliveries?limit=1&cursor=${first.body.nextCursor}`)

  expect(first.body.data).toMatchObject([{ status: 'pending', failureReason: 'refused', responseStatus: 500 }])
  expect(second.body).toMatchObject({ data: [{ status: 'delivered' }] })
  expect(second.body).not.toHaveProperty('nextCursor')
  expect(await deliveries('?status=delivered')).toHaveLength(1)
  expect(await deliveries('?status=dead')).toEqual([])
})

test('a tenant has at most ten webhooks, also when they are asked for at once', async () => {
  const answers = await Promise.all(Array.from({ length: 25 }, () => create()))

  const { status, body } = await create()

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
  expect(status).toBe(409)
  expect(body.code).toBe('webhook_limit')
})

test.each([
  [{ url: 'https://hooks.acme.example/', tenant: 'other' }, '/tenant'],
  [{ url: 'https://hooks.acme.example/', events: [] }, '/events'],
  [{ url: 'https://hooks.acme.example/', events: ['link.unknown'] }, '/events/0'],
  [{ url: 'https://hooks.acme.example/', events: ['link.failed', 'link.failed'] }, '/events'],
  [{}, '/url'],
])('%j is refused at %s', async (body, pointer) => {
  const answer = await world.api('POST', '/tenants/acme/webhooks', body)

  expect(answer.status).toBe(422)
  expect(answer.body.errors).toMatchObject([{ pointer }])
})

test('to the key of another tenant, webhooks and deliveries are not there', async () => {
  const { body: webhook } = await create()
  await link()
  await deliver()
  const [delivery] = await deliveries()
  await world.api('PUT', '/tenants/other', {
    workspace: 'other',
    displayName: 'Other',
    returnUrls: ['https://other.example/'],
  })
  const { key } = await world.world.apiKeys.create({ name: 'other', tenant: 'other' }, { kind: 'operator' })
  const foreign = world.apiAs(key.reveal())

  const answers = await Promise.all([
    foreign('GET', '/tenants/acme/webhooks'),
    foreign('POST', '/tenants/acme/webhooks', { url: receiver.url }),
    foreign('DELETE', `/tenants/acme/webhooks/${webhook.id}`),
    foreign('DELETE', `/tenants/other/webhooks/${webhook.id}`),
    foreign('POST', `/tenants/acme/webhooks/${webhook.id}/rotate-secret`),
    foreign('POST', `/tenants/other/webhooks/${webhook.id}/rotate-secret`),
    foreign('POST', `/tenants/other/webhooks/${webhook.id}/enable`),
    foreign('GET', '/tenants/acme/webhook-deliveries'),
    foreign('POST', `/tenants/acme/webhook-deliveries/${delivery.id}/replay`),
    foreign('POST', `/tenants/other/webhook-deliveries/${delivery.id}/replay`),
  ])

  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404))
  expect((await deliveries())[0]).toEqual(delivery)
})
