import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { deliverWebhooks } from '../../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
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
  const { done } = await deliverWebhooks(world.ports)()
  await done
}

test('S9: a webhook to a host that is allowed only for providers is rejected', async () => {
  const inner = await create({ url: `http://${world.provider.host}/hooks` })
  const allowed = await create()

  expect([inner.status, inner.body.errors?.[0]?.pointer]).toEqual([422, '/url'])
  expect(allowed.status).toBe(201)
})

test('a successful link sends one signed message with IDs only', async () => {
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

test('a failed link sends its cause and whose move it is', async () => {
  const { body: webhook } = await create()
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
  await world.consent(await world.mint())

  await deliver()

  expect(verified(webhook.secret, receiver.messages[0]!)).toMatchObject({
    type: 'link.failed',
    data: { cause: { code: 'consent_denied', whoseMove: 'user' } },
  })
})

test('the secret is shown once and stored sealed', async () => {
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

test('after two rotations all three secrets verify messages until each expires', async () => {
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

test('a replay sends the same event ID again and is audited', async () => {
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

test('deliveries are listed newest first, paginated, and by status', async () => {
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

test.each([
  [{ url: 'https://hooks.acme.example/', tenant: 'other' }, '/tenant'],
  [{ url: 'https://hooks.acme.example/', events: [] }, '/events'],
  [{ url: 'https://hooks.acme.example/', events: ['link.unknown'] }, '/events/0'],
  [{ url: 'https://hooks.acme.example/', events: ['link.failed', 'link.failed'] }, '/events'],
  [{}, '/url'],
])('rejects %j at %s', async (body, pointer) => {
  const answer = await world.api('POST', '/tenants/acme/webhooks', body)

  expect(answer.status).toBe(422)
  expect(answer.body.errors).toMatchObject([{ pointer }])
})
