// Short limits are used only in tests of that limit, because a busy machine may be silent for a moment.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { GatewayError } from '../../../src/contract/error-bodies.ts'
import { readConfig } from '../../../src/platform/config.ts'
import { startUpstream, type UpstreamDouble } from '../../support/doubles/upstream.ts'
import { bodyOf, dial, exchange, statusOf } from '../../support/http/raw-http.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type FunctionWorld, functionWorld } from '../../support/worlds/function-world.ts'

type Gateway = FunctionWorld & { mcp: string; origin: string }

let upstream: UpstreamDouble
/** Short silence limit, long total timeout. */
let hurried: Gateway
/** Long silence limit, short total timeout. */
let brief: Gateway
let patient: Gateway

beforeAll(async () => {
  upstream = await startUpstream()
  ;[hurried, brief, patient] = await Promise.all([
    openGateway({ GATEWAY_SILENT_SECONDS: '2' }),
    openGateway({ GATEWAY_LONGEST_SECONDS: '4' }),
    openGateway({}),
  ])
})
afterAll(async () => {
  for (const world of [hurried, brief, patient]) await world.close()
  await upstream.close()
})

beforeEach(() => {
  upstream.state.callbacks = []
})

async function openGateway(limits: Record<string, string>): Promise<Gateway> {
  const file = join(temporaryFolder(), 'runtimes.json')
  writeFileSync(file, JSON.stringify({ runtimes: [{ image: 'acme/own', url: `${upstream.url}/own` }] }))
  const world = await functionWorld({
    env: { RUNTIMES_FILE: file, EGRESS_ALLOW: new URL(upstream.url).host, ...limits },
  })
  const runtime = { image: 'acme/own' }
  const configuration = { callbackUrl: `${upstream.url}/callback` }
  const create = (path: string, spec: object) =>
    world.api
      .post(path)
      .send({ metadata: { name: 'own' }, spec })
      .expect(200)
  await create('/v0/models', { runtime })
  await create('/v0/agents', { runtime, triggers: [{ type: 'http-async', configuration }] })
  await create('/v0/jobs', { runtime: { image: 'local/echo' } })
  const mcp = await world.listen()
  return { ...world, mcp, origin: new URL(mcp).origin }
}

const head = ({ platform }: Gateway, path: string, length: number) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Service-Authorization: Bearer ${platform.admin.key}\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`

const routes = ['/acme/models/own', '/acme/agents/own', '/acme/functions/files/mcp', '/acme/jobs/own/executions']

test.concurrent.each(routes)('a body for %s that stalls returns 408, nested', async (path) => {
  const answer = await exchange(hurried.origin, `${head(hurried, path, 100)}{"half":`)

  expect(statusOf(answer)).toBe(408)
  expect(GatewayError.parse(JSON.parse(bodyOf(answer))).error).toMatchObject({ status: 408, retryable: true })
  expect(answer).toMatch(/x-service-source: platform\r\n/i)
})

test('a body that trickles for longer than the total timeout returns 408, nested', async () => {
  const socket = await dial(brief.origin)
  let answer = ''
  socket.on('data', (chunk) => {
    answer += chunk
  })

  socket.write(head(brief, '/acme/models/own', 1_000))
  while (answer === '' && socket.writable) {
    socket.write(' ')
    await pause(100)
  }
  socket.destroy()

  expect([statusOf(answer), JSON.parse(bodyOf(answer)).error.code]).toEqual([408, 'BAD_REQUEST'])
})

test('a silent workload is not reported as a slow body of the caller', async () => {
  const answer = await exchange(hurried.origin, `${head(hurried, '/acme/models/own/silent', 2)}{}`)

  expect(JSON.parse(bodyOf(answer)).error).toMatchObject({ code: 'WORKLOAD_UNAVAILABLE', status: 404, retryable: true })
})

test.each(['agents', 'models'])('the timeout of the workload itself also limits silence: %s', async (kind) => {
  const spec = { runtime: { image: 'acme/own', timeout: 1 } }
  await patient.api
    .post(`/v0/${kind}`)
    .send({ metadata: { name: 'timed' }, spec })
    .expect(200)

  const answer = await exchange(patient.origin, `${head(patient, `/acme/${kind}/timed/silent`, 2)}{}`)

  expect(JSON.parse(bodyOf(answer)).error).toMatchObject({ code: 'WORKLOAD_UNAVAILABLE', status: 404, retryable: true })
})

test.each([
  ['/acme/models/own', 300 * 1024 * 1024],
  ['/acme/agents/own?async=true', 2 * 1024 * 1024],
  ['/acme/functions/files/mcp', 2 * 1024 * 1024],
  ['/acme/jobs/own/executions', 20 * 1024 * 1024],
])('a body for %s that declares %i bytes returns 413, nested', async (path, length) => {
  const answer = await exchange(patient.origin, head(patient, path, length))

  expect(statusOf(answer)).toBe(413)
  expect(JSON.parse(bodyOf(answer)).error).toMatchObject({ code: 'REQUEST_ENTITY_TOO_LARGE', status: 413 })
})

test.each(['/acme/agents/own?async=true', '/acme/functions/files/mcp'])(
  'a body for %s without a declared length that grows too large returns 413, nested',
  async (path) => {
    const length = 2 * 1024 * 1024
    const chunked = head(patient, path, length).replace(/Content-Length: \d+/, 'Transfer-Encoding: chunked')

    const answer = await exchange(
      patient.origin,
      `${chunked}${length.toString(16)}\r\n"${'x'.repeat(length - 2)}"\r\n0\r\n\r\n`,
    )

    expect(statusOf(answer)).toBe(413)
    expect(GatewayError.parse(JSON.parse(bodyOf(answer))).error).toMatchObject({
      code: 'REQUEST_ENTITY_TOO_LARGE',
      status: 413,
    })
  },
)

test('the default limits are 100 s without data and 15 minutes in total', () => {
  const { gateway } = readConfig({ DATABASE_URL: 'postgres://x/y', ENCRYPTION_KEYS: `test:${'0'.repeat(64)}` })

  expect(gateway).toEqual({ silentMs: 100_000, maxMs: 900_000 })
})

const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_files', arguments: {} } }
const opening = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } }

test('a tool call that exceeds the total timeout is also aborted at the third party, with and without a session', async () => {
  const opened = await brief.post(brief.mcp, { jsonrpc: '2.0', id: 0, method: 'initialize', params: opening })
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
  brief.filebox.state.hold = true

  const answers = await Promise.all([brief.post(brief.mcp, call), brief.post(brief.mcp, call, session)])
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  await waitFor('the third party is let go', () => brief.filebox.state.cutOff === 2)
  brief.filebox.release()

  expect(texts.every((text) => !text.includes('"content"'))).toBe(true)
})

test('a silent stream ends at the total timeout', async () => {
  const opened = await brief.post(brief.mcp, { jsonrpc: '2.0', id: 0, method: 'initialize', params: opening })
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '', Accept: 'text/event-stream' }

  const listening = await brief.send(brief.mcp, 'GET', session)

  expect(listening.status).toBe(200)
  expect(await listening.text()).toBe('')
})

const ask = ({ origin, credential }: Gateway, path: string) =>
  fetch(`${origin}/acme/agents/own${path}`, {
    method: 'POST',
    headers: { ...credential, 'Content-Type': 'application/json' },
    body: '{}',
  })

test("an agent that is silent for longer than the caller's timeout still answers an asynchronous request", async () => {
  upstream.state.holds = true
  await ask(hurried, '/held?async=true')
  await waitFor('the agent is asked', () => upstream.state.requests.some(({ url }) => url.endsWith('/held')))
  const waited = await ask(hurried, '/held')
  upstream.release()

  const { body } = await waitFor('the callback came', () => upstream.state.callbacks[0])

  expect(waited.status).toBe(404)
  expect(JSON.parse(body)).toMatchObject({ status_code: 200, response_body: '{"held":true}' })
})

test('an asynchronous request that exceeds the total timeout is reported as a failure', async () => {
  const askedAt = performance.now()
  await ask(brief, '/silent?async=true')

  const { body } = await waitFor('the callback came', () => upstream.state.callbacks[0])

  expect(performance.now() - askedAt).toBeGreaterThan(3_900)
  expect(JSON.parse(body)).toMatchObject({ status_code: 502, response_body: 'The agent did not answer in time.' })
})
