// `causeway listen` as its users run it: a process that can be killed, a deployment that can go away, a receiver.
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyWebhook } from '../../../packages/client/src/client.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'
import { cliProgram } from './cli-program.ts'

let world: OnboardingWorld
let api: OnboardingWorld['api']
let key: string
let program: string

beforeAll(async () => {
  world = await startOnboarding()
  program = await cliProgram()
  const testMode = { name: 'test', tenant: undefined, testMode: true }
  key = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
  api = world.apiAs(key)
})
afterAll(() => world.close())

async function newTenant(name: string): Promise<string> {
  const tenant = { workspace: name, displayName: name, returnUrls: [returnUrl] }
  return (await api('PUT', `/tenants/test_${name}`, tenant)).body.id
}

const trigger = async (tenant: string): Promise<string> =>
  (await api('POST', `/tenants/${tenant}/events`, { type: 'link.succeeded' })).body.id

type ReceivedMessage = { id: string; headers: Record<string, string>; body: string }

/** Answers as `answer` says; it may take its time. */
async function startReceiver(answer: (seen: number) => Promise<number> | number = () => 200) {
  const received: ReceivedMessage[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const headers = req.headers as Record<string, string>
    received.push({ id: headers['webhook-id'] ?? '', headers, body: Buffer.concat(chunks).toString() })
    res.statusCode = await answer(received.length)
    res.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks`
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  return { url, received, close }
}

type Listener = { child: ChildProcess; output(): string; end(signal: NodeJS.Signals): Promise<number | null> }

function startListening(tenant: string, folder: string, ...more: string[]): Listener {
  const env = { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: key, XDG_STATE_HOME: folder, XDG_CONFIG_HOME: folder }
  const child = spawn(process.execPath, [program, 'listen', '--tenant', tenant, ...more], { env })
  let text = ''
  const keep = (chunk: Buffer) => {
    text += chunk
  }
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', keep)
  const exit = new Promise<number | null>((resolve) => child.once('exit', resolve))
  return {
    child,
    output: () => text,
    end(signal) {
      child.kill(signal)
      return exit
    },
  }
}

const isListening = ({ output }: Listener) => waitFor('it listens', async () => output().includes('Listening to'))

test('every event arrives signed, in order, and is printed with its answer', async () => {
  const tenant = await newTenant('orders')
  const receiver = await startReceiver((seen) => (seen === 2 ? 500 : 200))
  const before = await trigger(tenant)
  const listener = startListening(tenant, temporaryFolder(), '--forward-to', receiver.url)
  await isListening(listener)

  const ids = [await trigger(tenant), await trigger(tenant), await trigger(tenant)]
  await waitFor('all arrived', async () => receiver.received.length === 3)
  await waitFor('all are printed', async () => listener.output().includes(ids[2] ?? ''))
  const code = await listener.end('SIGTERM')
  await receiver.close()

  const [, secret = ''] = /signed with (whsec_\S+)/.exec(listener.output()) ?? []
  const [first] = receiver.received
  expect(receiver.received.map(({ id }) => id)).toEqual(ids)
  expect(verifyWebhook(first?.body ?? '', first?.headers ?? {}, secret)).toMatchObject({
    type: 'link.succeeded',
    data: { tenantId: tenant, testMode: true },
  })
  expect(listener.output()).not.toContain(before)
  expect(listener.output()).toMatch(new RegExp(`link.succeeded +${ids[1]} +500 `))
  expect(code).toBe(0)
})

test('killed again and again, it loses nothing, and repeats at most what was on its way', async () => {
  const tenant = await newTenant('kills')
  const folder = temporaryFolder()
  const receiver = await startReceiver()
  const args = [tenant, folder, '--forward-to', receiver.url] as const
  let listener = startListening(...args)
  await isListening(listener)

  const ids: string[] = []
  const kills = 4
  for (let kill = 0; kill < kills; kill += 1) {
    const already = receiver.received.length
    for (let event = 0; event < 5; event += 1) ids.push(await trigger(tenant))
    // In the midst of them.
    await waitFor('some arrived', async () => receiver.received.length > already)
    await listener.end('SIGKILL')
    listener = startListening(...args)
  }
  await waitFor('all arrived', async () => receiver.received.some(({ id }) => id === ids.at(-1)))
  await listener.end('SIGTERM')
  await receiver.close()

  const arrived = receiver.received.map(({ id }) => id)
  const repeated = arrived.filter((id, at) => arrived[at - 1] === id)
  expect([...new Set(arrived)]).toEqual(ids)
  expect(arrived.length - ids.length).toBe(repeated.length)
  expect(repeated.length).toBeLessThanOrEqual(kills)
  const secrets = new Set(receiver.received.map(({ headers }) => headers['webhook-signature'] !== undefined))
  expect(secrets).toEqual(new Set([true]))
})

test('a receiver that is away is waited for, and a second listener is refused', async () => {
  const tenant = await newTenant('away')
  const folder = temporaryFolder()
  const gone = await startReceiver()
  await gone.close()
  const listener = startListening(tenant, folder, '--forward-to', gone.url)
  await isListening(listener)
  await trigger(tenant)

  const second = startListening(tenant, folder, '--forward-to', gone.url)
  const refused = await new Promise((resolve) => second.child.once('exit', resolve))
  await waitFor('it says so', async () => listener.output().includes('does not answer'))
  await listener.end('SIGTERM')

  expect(refused).toBe(1)
  expect(second.output()).toContain('is running for this tenant already')
})
