// F24: a slow, failing or malicious receiver never delays a link; deliveries are retried for more than a day.
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type GuardedFetch, guardedFetch } from '../../src/kit/fetch/guarded-fetch.ts'
import { webhookSender } from '../../src/onboarding/webhooks/adapters/webhook-sender.ts'
import { deliverWebhooks } from '../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { answering, silence, startReceiver, type WebhookReceiver } from '../support/doubles/webhook-receiver.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let receiver: WebhookReceiver
let healthy: WebhookReceiver
/** Listens on an address that webhooks may not call. */
let inner: WebhookReceiver
let patient: GuardedFetch
let impatient: GuardedFetch
let fetch: GuardedFetch

beforeAll(async () => {
  ;[receiver, healthy, inner] = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  const allow = [receiver.host, healthy.host]
  patient = guardedFetch({ allow, timeoutMs: 30_000, maxBytes: 16 * 1024 })
  impatient = guardedFetch({ allow, timeoutMs: 1_500, maxBytes: 16 * 1024 })
  fetch = patient
  // As in the program, but with the test's own timeout.
  const replace = () => ({
    webhookSender: {
      mayCall: patient.mayCall,
      send: (message: Parameters<ReturnType<typeof webhookSender>['send']>[0]) => webhookSender(fetch).send(message),
    },
  })
  world = await startOnboarding({ replace })
  deliverDue = deliverWebhooks(world.ports)
  for (const tenant of ['busy', 'quiet']) {
    const body = { workspace: tenant, displayName: tenant, returnUrls: ['https://acme.example/'] }
    await world.api('PUT', `/tenants/${tenant}`, body)
  }
})
afterEach(async () => {
  fetch = patient
  for (const each of [receiver, healthy, inner]) each.calm()
  await world.sql.query('delete from webhooks')
  await world.sql.query('update outbox set due_at = null')
})
afterAll(async () => {
  await world.close()
  await Promise.all([receiver.close(), healthy.close(), inner.close(), patient.close(), impatient.close()])
})

const hook = async (tenant: string, url: string) =>
  (await world.api('POST', `/tenants/${tenant}/webhooks`, { url })).body.id as string

const announce = async (tenant: string, count = 1) => {
  for (let made = 0; made < count; made++) {
    await world.sql.query(`insert into outbox (id, tenant, event, payload) values ($1, $2, 'link.succeeded', '{}')`, [
      world.world.tokens.id('evt'),
      tenant,
    ])
  }
}

/** Makes the next attempt due. */
const letTimePass = () => world.sql.query(`update webhook_deliveries set due_at = now() where status = 'pending'`)

let deliverDue: ReturnType<typeof deliverWebhooks>

async function deliver() {
  const { done } = await deliverDue()
  await done
}

const deliveries = async (tenant: string) =>
  (await world.api('GET', `/tenants/${tenant}/webhook-deliveries`)).body.data as Array<Record<string, unknown>>

test('F24, while a receiver hangs, links finish and other tenants get their messages', async () => {
  receiver.receive = silence
  await hook('busy', receiver.url)
  await hook('quiet', healthy.url)
  await announce('busy', 200)
  const rounds = [await deliverDue(), await deliverDue()]
  await waitFor('all that may be under way are', () => receiver.messages.length >= 8)

  const minted = await world.mint()
  const linked = await world.complete(minted, (await world.consent(minted)).query)
  await announce('quiet')
  const round = await deliverDue()
  await round.done

  expect(linked.body.status).toBe('linked')
  expect(healthy.messages).toHaveLength(1)
  expect(receiver.messages).toHaveLength(8)
  receiver.hangUp()
  await Promise.all(rounds.map(({ done }) => done))
})

test('F24, receivers of one tenant take turns, however many messages wait for one of them', async () => {
  await hook('busy', receiver.url)
  await announce('busy', 50)
  await world.world.deliveries.announce(500)
  await hook('busy', healthy.url)
  await announce('busy', 3)

  await deliver()

  expect(healthy.messages).toHaveLength(3)
  expect(receiver.messages).toHaveLength(5)
})

test('F24, a receiver that hangs times out and is retried later', async () => {
  fetch = impatient
  receiver.receive = silence
  await hook('busy', receiver.url)
  await announce('busy')

  await deliver()

  expect(await deliveries('busy')).toMatchObject([{ status: 'pending', attempts: 1, failureReason: 'unanswered' }])
})

test('F24, a receiver that sends its response slowly times out', async () => {
  fetch = impatient
  const drips: NodeJS.Timeout[] = []
  receiver.receive = (res) => {
    res.writeHead(200)
    drips.push(setInterval(() => res.write('.'), 50))
  }
  await hook('busy', receiver.url)
  await announce('busy')

  await deliver()

  expect(await deliveries('busy')).toMatchObject([{ status: 'pending', failureReason: 'unanswered' }])
  for (const drip of drips) clearInterval(drip)
})

test('F24, a failed message is retried with the same ID, and finally shown as dead', async () => {
  receiver.receive = answering(500)
  await hook('busy', receiver.url)
  await announce('busy')
  await deliver()
  const [first] = await deliveries('busy')
  for (let tries = 1; tries < 12; tries++) {
    await letTimePass()
    await deliver()
  }

  await letTimePass()
  await deliver()

  expect(new Date(String(first?.nextAttemptAt)).getTime() - Date.now()).toBeLessThan(6_100)
  expect(new Set(receiver.messages.map(({ headers }) => headers['webhook-id'])).size).toBe(1)
  expect(receiver.messages).toHaveLength(12)
  expect(await deliveries('busy')).toMatchObject([
    { status: 'dead', attempts: 12, failureReason: 'refused', responseStatus: 500 },
  ])
})

test('F24, redirects are not followed', async () => {
  receiver.receive = answering(307, { location: inner.url })
  await hook('busy', receiver.url)
  await announce('busy')

  await deliver()

  expect(inner.messages).toEqual([])
  expect(await deliveries('busy')).toMatchObject([
    { status: 'pending', failureReason: 'redirected', responseStatus: 307 },
  ])
})

test('F24, a huge response is not read to its end', async () => {
  let written = 0
  receiver.receive = (res) => {
    const chunk = Buffer.alloc(64 * 1024)
    const pour = () => {
      while (!res.destroyed && res.write(chunk)) written += chunk.length
      if (!res.destroyed) res.once('drain', pour)
    }
    pour()
  }
  await hook('busy', receiver.url)
  await announce('busy')

  await deliver()

  expect(await deliveries('busy')).toMatchObject([{ status: 'pending', failureReason: 'too_large' }])
  expect(written).toBeLessThan(20 * 1024 * 1024)
})

test('F24, 410 disables the webhook and its pending messages; after it is enabled, missed messages can be replayed', async () => {
  const id = await hook('busy', receiver.url)
  receiver.receive = answering(500)
  await announce('busy')
  await deliver()
  receiver.receive = answering(410)
  await announce('busy')
  await deliver()
  await announce('busy')
  await deliver()
  const dead = await deliveries('busy')

  const early = await world.api('POST', `/tenants/busy/webhook-deliveries/${dead[0]?.id}/replay`)
  const { body: disabled } = await world.api('GET', '/tenants/busy/webhooks')
  const enabled = await world.api('POST', `/tenants/busy/webhooks/${id}/enable`)
  const before = receiver.messages.length
  receiver.receive = answering(200)
  for (const each of dead) await world.api('POST', `/tenants/busy/webhook-deliveries/${each.id}/replay`)
  await deliver()

  // The first event occurred while the webhook was disabled: not delivered, but not lost.
  expect(dead).toMatchObject([
    { status: 'dead', failureReason: 'webhook_disabled', attempts: 0 },
    { status: 'dead', failureReason: 'gone', responseStatus: 410 },
    { status: 'dead', failureReason: 'webhook_disabled' },
  ])
  expect(early.body.code).toBe('webhook_disabled')
  expect(disabled.data).toMatchObject([{ status: 'disabled' }])
  expect(enabled.body.status).toBe('active')
  expect(receiver.messages.length - before).toBe(3)
  expect((await deliveries('busy')).map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered'])
  expect(await world.audit('webhook.disabled')).toMatchObject([{ subject_id: id }])
})

test('F24, a receiver that was down gets its message when it is up', async () => {
  await hook('busy', receiver.url)
  await announce('busy')
  const { port } = receiver
  await receiver.close()
  await deliver()
  const [waiting] = await deliveries('busy')

  receiver = await startReceiver(port)
  await letTimePass()
  await deliver()

  expect(waiting).toMatchObject({ status: 'pending', failureReason: 'unreachable' })
  expect(await deliveries('busy')).toMatchObject([{ status: 'delivered', attempts: 2 }])
})

test('F24, another worker sends the message of a dead worker, whose late result is ignored', async () => {
  await hook('busy', receiver.url)
  await announce('busy')
  await world.world.deliveries.announce(10)
  const [lost] = await world.world.deliveries.claimDue({ limit: 1, perTenant: 1, underWay: {} })
  await deliver()
  const sentEarly = receiver.messages.length

  await letTimePass()
  await deliver()
  await world.world.deliveries.markDead(lost!, { failureReason: 'refused', responseStatus: 500 })

  expect(sentEarly).toBe(0)
  expect(receiver.messages).toHaveLength(1)
  expect(await deliveries('busy')).toMatchObject([{ status: 'delivered', attempts: 2 }])
})

const innerAddresses = [
  'http://hooks.acme.example/',
  'https://127.0.0.1/',
  'http://127.0.0.1:6379/',
  'https://[::ffff:127.0.0.1]/',
  'https://2130706433/',
  'https://0x7f.1/',
  'https://169.254.169.254/latest/meta-data/',
  'https://localhost/',
  'https://localhost./',
  'https://metadata.google.internal/',
  'https://hooks.acme.example:22/',
  'https://user:word@hooks.acme.example/',
  'file:///etc/passwd',
]

test.each(innerAddresses)('%s is rejected as a receiver', async (url) => {
  const { status, body } = await world.api('POST', '/tenants/busy/webhooks', { url })

  expect(status).toBe(422)
  expect(body.errors).toMatchObject([{ pointer: '/url' }])
})

test.each([...innerAddresses, 'the internal receiver'])(
  '%s is rejected at the call if it passed the first check',
  async (address) => {
    const id = await hook('busy', healthy.url)
    const url = address.startsWith('the') ? inner.url : address
    await world.sql.query('update webhooks set url = $1', [url])
    await announce('busy')

    await deliver()

    expect(await deliveries('busy')).toMatchObject([{ status: 'pending', failureReason: 'blocked' }])
    expect(inner.messages).toEqual([])
    expect((await world.audit('egress.blocked')).at(-1)).toMatchObject({ subject_id: id })
  },
)
