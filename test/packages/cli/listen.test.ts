import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { followEvents } from '../../../packages/cli/src/listen/follow-events.ts'
import { runCommandLine } from '../../../packages/cli/src/run.ts'
import { createCauseway, verifyWebhook } from '../../../packages/client/src/client.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'
import { testTerminal } from './test-terminal.ts'

const world = await startOnboarding()
const testMode = { name: 'test', tenant: undefined, testMode: true }
const key = (await world.world.apiKeys.create(testMode, { kind: 'operator' })).key.reveal()
const api = world.apiAs(key)
afterAll(() => world.close())

async function newTenant(name: string): Promise<string> {
  const tenant = { workspace: name, displayName: name, returnUrls: [returnUrl] }
  return (await api('PUT', `/tenants/test_${name}`, tenant)).body.id
}

const trigger = async (tenant: string): Promise<string> =>
  (await api('POST', `/tenants/${tenant}/events`, { type: 'link.succeeded' })).body.id

/** An event is listed once all earlier transactions of the database server have ended. */
async function triggerAndList(tenant: string): Promise<string> {
  const id = await trigger(tenant)
  const newest = async () => (await api('GET', `/tenants/${tenant}/events?order=newest&limit=1`)).body.data[0]?.id
  await waitFor('the event is listed', async () => (await newest()) === id)
  return id
}

type Message = { id: string; headers: Record<string, string>; body: string }

async function startReceiver(statusOf: (count: number) => number | Promise<number> = () => 200, port = 0) {
  const received: Message[] = []
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const headers = req.headers as Record<string, string>
    received.push({ id: headers['webhook-id'] ?? '', headers, body: Buffer.concat(chunks).toString() })
    res.statusCode = await statusOf(received.length)
    res.end()
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const { port: bound } = server.address() as AddressInfo
  const close = () => {
    server.closeAllConnections()
    return new Promise((resolve) => server.close(resolve))
  }
  onTestFinished(() => void close())
  return {
    url: `http://127.0.0.1:${bound}/webhooks`,
    port: bound,
    received,
    ids: () => received.map(({ id }) => id),
    close,
  }
}

async function run(tenant: string, ...words: string[]) {
  const { terminal, ...recorded } = testTerminal({ env: { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: key } })
  const ended = runCommandLine(['listen', '--tenant', tenant, ...words], terminal)
  onTestFinished(recorded.stop)
  return { ...recorded, ended }
}

async function listen(tenant: string, url: string, ...words: string[]) {
  const listener = await run(tenant, '--forward-to', url, ...words)
  await waitFor('it listens', async () => listener.err().includes('Listening to'))
  return listener
}

test('forwards new events signed and in order, and prints each with its response', async () => {
  const tenant = await newTenant('orders')
  const receiver = await startReceiver((count) => (count === 2 ? 500 : 200))
  const before = await triggerAndList(tenant)
  const listener = await listen(tenant, receiver.url)

  const ids = [await trigger(tenant), await trigger(tenant), await trigger(tenant)]
  await waitFor('the last is printed', async () => listener.out().includes(ids[2] ?? ''))
  listener.stop()

  const [, secret = ''] = /signed with (whsec_\S+)/.exec(listener.err()) ?? []
  const [first] = receiver.received
  expect(await listener.ended).toBe(0)
  expect(receiver.ids()).toEqual(ids)
  expect(verifyWebhook(first?.body ?? '', first?.headers ?? {}, secret)).toMatchObject({
    type: 'link.succeeded',
    data: { tenantId: tenant, testMode: true },
  })
  expect(listener.out()).not.toContain(before)
  expect(listener.out()).toMatch(new RegExp(`link.succeeded +${ids[1]} +500 `))
})

test('--since starts with past events', async () => {
  const tenant = await newTenant('since')
  const receiver = await startReceiver()
  await triggerAndList(tenant)
  const id = await triggerAndList(tenant)
  const [{ timestamp }] = (await api('GET', `/tenants/${tenant}/events?order=newest&limit=1`)).body.data

  const listener = await listen(tenant, receiver.url, '--since', timestamp, '--json')
  await waitFor('the event is printed', async () => listener.out().includes(id))

  expect(receiver.ids()).toEqual([id])
  expect(JSON.parse(listener.out())).toMatchObject({ event: { id }, response: { status: 200 } })
})

test('--print-secret prints the secret that listen signs with', async () => {
  const tenant = await newTenant('secret')
  const printing = await run(tenant, '--print-secret')
  await printing.ended
  const listener = await listen(tenant, 'http://127.0.0.1:9/webhooks')

  expect(printing.out()).toMatch(/^whsec_/)
  expect(listener.err()).toContain(`signed with ${printing.out()}`)
})

test('--print-secret fails if the tenant does not exist', async () => {
  const printing = await run('test_missing', '--print-secret')

  expect(await printing.ended).toBe(1)
  expect(printing.err()).toContain('no such tenant')
  expect(printing.out()).toBe('')
})

test('retries while the local server is down', async () => {
  const tenant = await newTenant('down')
  const { port, url, close } = await startReceiver()
  await close()
  const listener = await listen(tenant, url)
  const id = await trigger(tenant)
  await waitFor('it is reported', async () => listener.err().includes('does not respond (ECONNREFUSED). Retrying.'))

  const receiver = await startReceiver(() => 204, port)
  await waitFor('the event is printed', async () => listener.out().includes(`${id}  204`))

  expect(receiver.ids()).toEqual([id])
})

/** Answers 200 only if it was started with the secret. */
const serverProgram = (port: number) => `
  const { CAUSEWAY_WEBHOOK_SECRET: secret = '' } = process.env
  require('node:http')
    .createServer((req, res) => { res.statusCode = secret.startsWith('whsec_') ? 200 : 500; res.end() })
    .listen(${port}, '127.0.0.1')`

test('a program after -- runs with the secret until the listener stops', async () => {
  const tenant = await newTenant('program')
  const { port, url, close } = await startReceiver()
  await close()
  const listener = await listen(tenant, url, '--', process.execPath, '-e', serverProgram(port))
  const id = await trigger(tenant)
  await waitFor('the event is printed', async () => listener.out().includes(`${id}  200`))

  listener.stop()

  expect(await listener.ended).toBe(0)
  await expect(fetch(url)).rejects.toThrow('fetch failed')
})

test('the listener ends when its program ends or does not exist', async () => {
  const tenant = await newTenant('program-ends')
  const url = 'http://127.0.0.1:9/webhooks'
  const ended = await run(tenant, '--forward-to', url, '--', process.execPath, '-e', 'process.exit(0)')
  const failed = await run(tenant, '--forward-to', url, '--', process.execPath, '-e', 'process.exit(3)')
  const missing = await run(tenant, '--forward-to', url, '--', 'causeway-no-such-program')

  expect(await Promise.all([ended.ended, failed.ended, missing.ended])).toEqual([0, 1, 1])
  expect(failed.err()).toContain('exited with code 3.')
  expect(missing.err()).toContain('ENOENT')
})

test('events resend resends an event, and reports an unknown one', async () => {
  const tenant = await newTenant('resend')
  const receiver = await startReceiver()
  const id = await triggerAndList(tenant)
  const { terminal, out, err } = testTerminal({ env: { CAUSEWAY_URL: world.url, CAUSEWAY_API_KEY: key } })
  const resend = (event: string) =>
    runCommandLine(['events', 'resend', event, '--tenant', tenant, '--forward-to', receiver.url], terminal)

  expect([await resend(id), await resend('evt_none')]).toEqual([0, 1])
  expect(await runCommandLine(['events', '--tenant', tenant], terminal)).toBe(0)

  expect(receiver.ids()).toEqual([id])
  expect(out()).toContain(`link.succeeded  ${id}  200`)
  expect(err()).toContain(`${tenant} has no event evt_none.`)
})

test('Ctrl-C ends a listener whose local server has not responded', async () => {
  const tenant = await newTenant('halted')
  const receiver = await startReceiver(() => new Promise<number>(() => {}))
  const listener = await listen(tenant, receiver.url)
  await trigger(tenant)
  await waitFor('the event arrived', async () => receiver.received.length === 1)

  listener.stop()

  expect(await listener.ended).toBe(0)
})

test('retries while the deployment is down', async () => {
  const tenant = await newTenant('deployment-down')
  const id = await triggerAndList(tenant)
  let calls = 0
  const flaky: typeof fetch = async (input, init) => {
    calls += 1
    if (calls === 1) throw new TypeError('fetch failed')
    return fetch(input, init)
  }
  const client = createCauseway({ url: world.url, apiKey: key, fetch: flaky, retries: { maxAttempts: 1 } })
  const reported: string[] = []
  const watch = { tenantId: tenant, after: undefined, stopped: new AbortController().signal }

  const { value } = await followEvents(client, { ...watch, report: (line) => void reported.push(line) }).next()

  expect(value?.id).toBe(id)
  expect(reported).toEqual(['The deployment does not respond. Retrying.', 'The deployment responds again.'])
})

test.each([
  [['--forward-to', 'localhost:3000'], 'is not an http(s) address'],
  [['--forward-to', 'http://localhost:3000', '--since', 'yesterday'], 'is not a time'],
  [[], 'Name the target'],
])('%j is a usage error: “%s”', async (words, message) => {
  const listener = await run('test_acme', ...words)

  expect(await listener.ended).toBe(2)
  expect(listener.err()).toContain(message)
})
