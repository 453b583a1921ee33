import { beforeEach, expect, test } from 'vitest'
import type { SendResult } from '../../../../src/onboarding/domain/webhooks/delivery.ts'
import { deliverWebhooks } from '../../../../src/onboarding/webhooks/flows/deliver-webhooks.ts'
import { createWebhook } from '../../../../src/onboarding/webhooks/flows/manage-webhooks.ts'
import { auditEntry } from '../../../support/memory/audit-entries.ts'
import { breaks, later } from '../../../support/memory/doubles.ts'
import { byKey, type MemoryWorld, openMemoryWorld, operator } from '../../../support/memory/world.ts'

let world: MemoryWorld
let webhook: string
let secret: string
beforeEach(async () => {
  world = await openMemoryWorld()
  ;[webhook, secret] = await addWebhook('acme')
})

async function addWebhook(tenant: string): Promise<[id: string, secret: string]> {
  const wanted = { url: `https://${tenant}.example/hooks`, events: ['link.failed' as const] }
  const made = await createWebhook(world, { caller: operator, actor: byKey, tenant, ...wanted })
  return [made.webhook.id, made.secret.reveal()]
}

async function happen(tenant = 'acme', count = 1): Promise<void> {
  for (let each = 0; each < count; each++) {
    const event = { id: world.tokens.id('evt'), name: 'link.failed', payload: { link: 'lnk_1' } } as const
    await world.move(await world.addLink({ tenant }), 'failed', { event })
  }
}

const answers = (result: SendResult) => async () => result
const answered = (status: number, retryAfterSeconds?: number) => answers({ responseStatus: status, retryAfterSeconds })
const query = { tenant: 'acme', status: undefined, webhook: undefined, cursor: undefined, limit: 100 }
const deliveries = async () => (await world.deliveries.list(query)).data

async function deliverOnce() {
  const round = await deliverWebhooks(world)()
  await round.done
  return (await deliveries())[0]
}

test('a message is signed, sent once, and delivered', async () => {
  await happen()
  const deliver = deliverWebhooks(world)

  const first = await deliver()
  await first.done
  const second = await deliver()

  expect([first.count, second.count]).toEqual([1, 0])
  expect(world.webhookSender.sent).toMatchObject([{ url: 'https://acme.example/hooks', at: world.now() }])
  expect(world.webhookSender.sent[0]?.secrets.map((each) => each.reveal())).toEqual([secret])
  expect(JSON.parse(world.webhookSender.sent[0]!.body)).toMatchObject({
    type: 'link.failed',
    data: { tenantId: 'acme' },
  })
  expect(await deliveries()).toMatchObject([{ status: 'delivered' }])
})

test('S2: a message that crashes workers is marked dead with its reason', async () => {
  await happen()
  await world.deliveries.announce(10)
  for (let lost = 0; lost < 4; lost++) {
    await world.deliveries.claimDue({ limit: 10, perTenant: 10, underWay: {} })
    world.clock.pass(31)
  }

  expect(await deliverOnce()).toMatchObject({ status: 'dead', failureReason: 'worker_crashed' })
  expect(world.webhookSender.sent).toEqual([])
})

test('S2: messages that crashed a worker are sent one at a time, beside others', async () => {
  await happen('acme', 3)
  await world.deliveries.announce(10)
  await world.deliveries.claimDue({ limit: 10, perTenant: 10, underWay: {} })
  world.clock.pass(31)
  await happen()
  const slow = later<SendResult>()
  world.webhookSender.send = () => slow.promise
  const deliver = deliverWebhooks(world)

  const rounds = [await deliver(), await deliver()]
  slow.resolve({ responseStatus: 200, retryAfterSeconds: undefined })
  await Promise.all(rounds.map(({ done }) => done))

  expect([...rounds, await deliver()].map(({ count }) => count)).toEqual([2, 0, 1])
})

test.each([
  ['is down', answered(503), 'refused'],
  ['redirects', answered(302), 'redirected'],
  ['is unreachable', answers({ failureReason: 'unreachable' }), 'unreachable'],
  ['does not respond', answers({ failureReason: 'unanswered' }), 'unanswered'],
  ['responds with too many bytes', answers({ failureReason: 'too_large' }), 'too_large'],
])('retries a receiver that %s', async (_, send, failureReason) => {
  await happen()
  world.webhookSender.send = send

  const delivery = await deliverOnce()

  expect(delivery).toMatchObject({ status: 'pending', failureReason, attempts: 1 })
  expect(delivery!.nextAttemptAt!.getTime()).toBeGreaterThan(world.now().getTime())
})

test('waits as long as the receiver asks, plus jitter', async () => {
  await happen()
  world.webhookSender.send = answered(429, 1_800)

  const delayMs = (await deliverOnce())!.nextAttemptAt!.getTime() - world.now().getTime()

  expect(delayMs).toBeGreaterThanOrEqual(1_800_000)
  expect(delayMs).toBeLessThanOrEqual(1.2 * 1_800_000)
})

test('sends the same message in every attempt', async () => {
  await happen()
  const bodies: string[] = []
  world.webhookSender.send = async ({ body, id }) => {
    bodies.push(`${id} ${body}`)
    return { responseStatus: 500, retryAfterSeconds: undefined }
  }

  await deliverOnce()
  world.clock.pass(60)
  await deliverOnce()

  expect(bodies).toHaveLength(2)
  expect(bodies[0]).toBe(bodies[1])
})

test('gives up after twelve attempts', async () => {
  await happen()
  world.webhookSender.send = answered(500)

  let delivery = await deliverOnce()
  for (let tries = 1; delivery?.status === 'pending' && tries < 30; tries++) {
    world.clock.pass(13 * 60 * 60)
    delivery = await deliverOnce()
  }

  expect(delivery).toMatchObject({ status: 'dead', failureReason: 'refused', attempts: 12 })
})

test('a 410 disables the webhook and ends its pending messages', async () => {
  await happen('acme', 3)
  world.webhookSender.send = answered(410)

  await deliverOnce()

  expect((await world.webhooks.find('acme', webhook))?.status).toBe('disabled')
  expect((await deliveries()).map(({ status }) => status)).toEqual(['dead', 'dead', 'dead'])
  expect(world.actions().filter((action) => action === 'webhook.disabled')).toHaveLength(1)
})

test('tolerates a webhook that is deleted during a send', async () => {
  await happen()
  world.webhookSender.send = async () => {
    await world.webhooks.delete('acme', webhook, auditEntry('webhook.deleted'))
    return { responseStatus: 410, retryAfterSeconds: undefined }
  }

  const round = await deliverWebhooks(world)()

  expect(await round.done).toMatchObject([{ status: 'fulfilled' }])
})

test('audits a blocked address once per message', async () => {
  await happen()
  world.webhookSender.send = answers({ failureReason: 'blocked' })

  await deliverOnce()
  world.clock.pass(3_600)
  await deliverOnce()

  expect(world.actions().filter((action) => action === 'egress.blocked')).toHaveLength(1)
})

test('a send that throws does not stop the others, and is retried after its lease', async () => {
  await happen('acme', 2)
  const { send } = world.webhookSender
  let tries = 0
  world.webhookSender.send = (message) => (tries++ === 0 ? breaks() : send(message))

  await deliverOnce()
  const during = (await deliveries()).map(({ status }) => status).toSorted()
  world.clock.pass(31)
  await deliverOnce()

  expect(during).toEqual(['delivered', 'pending'])
  expect((await deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered'])
})

test('a receiver that hangs uses only its own share', async () => {
  await world.addTenant('other')
  await addWebhook('other')
  await happen('acme', 20)
  const hangs = later<SendResult>()
  const { send } = world.webhookSender
  world.webhookSender.send = (message) => (message.url.includes('acme') ? hangs.promise : send(message))
  const deliver = deliverWebhooks(world)

  const first = await deliver()
  const second = await deliver()
  await happen('other')
  const third = await deliver()
  await third.done

  expect([first.count, second.count, third.count]).toEqual([8, 0, 1])
  expect(world.webhookSender.sent.map(({ url }) => url)).toEqual(['https://other.example/hooks'])
  hangs.resolve({ responseStatus: 200, retryAfterSeconds: undefined })
  await first.done
  expect((await deliver()).count).toBe(8)
})
