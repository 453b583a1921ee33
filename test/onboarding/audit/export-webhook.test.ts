import { afterEach, beforeEach, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { webhookBatches } from '../../../src/kit/export/webhook-batches.ts'
import { type GuardedFetch, guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { openAuditDestinations } from '../../../src/onboarding/adapters/open-audit.ts'
import { exportAudit } from '../../../src/onboarding/flows/export-audit.ts'
import {
  answering,
  silence,
  startReceiver,
  verified,
  type WebhookReceiver,
} from '../../support/doubles/webhook-receiver.ts'
import { type AuditWorld, openAuditWorld } from '../../support/worlds/audit-world.ts'

const [newer, older] = [7, 8].map((byte) => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [string, string]

let world: AuditWorld
let receiver: WebhookReceiver
let elsewhere: WebhookReceiver
let impatient: GuardedFetch
let failures: Array<{ problem: string }>
let close: () => Promise<void>
let run: () => Promise<number>
beforeEach(async () => {
  ;[world, receiver, elsewhere] = await Promise.all([openAuditWorld(), startReceiver(), startReceiver()])
  impatient = guardedFetch({ allow: [receiver.host], timeoutMs: 300 })
  failures = []
  const webhook = { url: receiver.url, secrets: [new Secret(newer), new Secret(older)] }
  const opened = openAuditDestinations({ folder: undefined, otlp: undefined, headers: {}, webhook })
  close = opened.close
  run = () => runTo(opened.destinations[0] as never)
})
afterEach(async () => {
  await Promise.all([world.close(), receiver.close(), elsewhere.close(), impatient.close(), close()])
})

const runTo = (destination: ReturnType<typeof webhookBatches>) =>
  exportAudit({ auditExport: { ...world.exported, destinations: [] } }, destination, {
    failed: (failure) => failures.push(failure),
    rejected: () => {},
  })

const letBeDue = () => world.pool.query('update audit_exports set due_at = now()')

type Records = Array<{ id: string; head?: string }>

const recordsIn = (message: WebhookReceiver['messages'][number]) => verified(newer, message).data.records as Records

const received = () => receiver.messages.flatMap(recordsIn).map(({ id }) => id)

test('a receiver gets signed batches of all chains, which both secrets verify', async () => {
  await world.add(2)
  await world.add(1, { tenant: undefined })
  await world.seal()

  await run()

  const [message] = receiver.messages
  if (!message) throw new Error('nothing was sent')
  expect(verified(older, message)).toMatchObject({ type: 'audit.records', timestamp: expect.any(String) })
  expect(received().sort()).toEqual([':1', 'acme:1', 'acme:2'])
  expect(recordsIn(message).filter(({ head }) => head)).toHaveLength(2)
  expect(() => verified(newer, { ...message, body: message.body.replace('acme', 'beta') })).toThrow()
})

test.each<[string, WebhookReceiver['receive'], string]>([
  ['refuses', answering(500), 'the receiver answered 500'],
  ['is gone', answering(410), 'the receiver answered 410'],
  ['redirects', (res) => res.writeHead(307, { location: elsewhere.url }).end(), 'the receiver answered 307'],
  ['answers with a huge body', answering(200, {}, 'x'.repeat(100_000)), 'too_large'],
  ['hangs up', (res) => res.destroy(), 'unanswered (UND_ERR_SOCKET)'],
  ['never answers', silence, 'unanswered (timeout)'],
])('a receiver that %s loses nothing, and gets it later in order', async (_how, receive, problem) => {
  const secrets = [new Secret(newer)]
  const destination = webhookBatches(impatient, { url: receiver.url, secrets, type: 'audit.records' })
  await world.add(2)
  await world.seal()
  receiver.receive = receive
  await runTo(destination)
  await world.add(1)
  await world.seal()
  receiver.calm()
  await letBeDue()
  await runTo(destination)

  expect(failures).toMatchObject([{ problem }])
  expect(received()).toEqual(['acme:1', 'acme:2', 'acme:3'])
  expect(elsewhere.messages).toEqual([])
})

test('the same records have the same message ID, and others another', async () => {
  await world.add(1)
  await world.seal()
  receiver.receive = answering(500)
  await run()
  await letBeDue()
  await run()
  await world.add(1)
  await world.seal()
  await letBeDue()
  await run()

  const [first, again, more] = receiver.messages.map(({ headers }) => headers['webhook-id'])
  expect(again).toBe(first)
  expect(more).not.toBe(first)
})

test('a long backlog is sent in messages of at most 250 kB, each record once', async () => {
  await world.add(900)
  await world.seal()

  for (;;) if ((await run()) === 0) break

  const sizes = receiver.messages.map(({ body }) => body.length)
  expect(sizes.length).toBeGreaterThan(2)
  expect(Math.max(...sizes)).toBeLessThan(255_000)
  expect(received()).toEqual(Array.from({ length: 900 }, (_, at) => `acme:${at + 1}`))
})
