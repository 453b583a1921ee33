// F24: the running program delivers messages, and the next one delivers those of a killed program.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answering, silence, startReceiver, type WebhookReceiver } from '../support/doubles/webhook-receiver.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { bundled } from '../support/processes/bundled-programs.ts'
import { type OnboardingWorld, startOnboarding } from '../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let receiver: WebhookReceiver
const children: ChildProcess[] = []

beforeAll(async () => {
  receiver = await startReceiver()
  world = await startOnboarding({ egressAllow: [receiver.host] })
  await world.api('POST', '/tenants/acme/webhooks', { url: receiver.url })
})
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL')
  await world.close()
  await receiver.close()
})

/** The program as a separate process on the same stores. */
async function startProgram(): Promise<ChildProcess> {
  const stdio = ['ignore', 'ignore', 'inherit', 'ipc'] as const
  const child = spawn(process.execPath, [bundled('onboarding/main')], {
    env: { ...world.env, DRAIN_SECONDS: '0' },
    stdio: [...stdio],
  })
  children.push(child)
  await once(child, 'message')
  return child
}

async function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL') {
  const ended = once(child, 'exit')
  child.kill(signal)
  const [code] = await ended
  return code
}

const announce = () =>
  world.sql.query(`insert into outbox (id, tenant, event, payload) values ($1, 'acme', 'link.succeeded', '{}')`, [
    world.world.tokens.id('evt'),
  ])

const isDelivered = async () =>
  (await world.sql.query(`select id from webhook_deliveries where status = 'delivered'`)).rows.length === 1

const received = () => expect.poll(() => receiver.messages.length, { timeout: 30_000 })

test('F24, messages in progress of a killed program are sent by the next one', async () => {
  const first = await startProgram()
  await announce()
  await received().toBe(1)
  await waitFor('it is on record', isDelivered)
  receiver.receive = silence
  await announce()
  await received().toBe(2)

  await end(first, 'SIGKILL')
  receiver.receive = answering(204)
  // Expire the lease of the killed program.
  await world.sql.query(`update webhook_deliveries set due_at = now() where status = 'pending'`)
  const second = await startProgram()
  await received().toBe(3)
  const code = await end(second, 'SIGTERM')

  const [, lost, again] = receiver.messages.map(({ headers }) => headers['webhook-id'])
  expect(again).toBe(lost)
  expect(code).toBe(0)
  const { body } = await world.api('GET', '/tenants/acme/webhook-deliveries')
  expect(body.data).toMatchObject([
    { status: 'delivered', attempts: 2 },
    { status: 'delivered', attempts: 1 },
  ])
}, 120_000)
