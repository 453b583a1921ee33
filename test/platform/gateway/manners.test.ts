import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { GatewayError } from '../../../src/contract/error-bodies.ts'
import { upstreams } from '../../../src/platform/gateway/adapters/http-runtime.ts'
import { runtimesOf } from '../../../src/platform/gateway/adapters/runtimes.ts'
import { runtimesByImage } from '../../../src/platform/gateway/domain/runtime.ts'
import type { Runtimes } from '../../../src/platform/gateway/domain/workload.ts'
import { startUpstream, type UpstreamDouble } from '../../support/doubles/upstream.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { createResource, type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

let world: PlatformWorld
let upstream: UpstreamDouble
let url: string
let closeRuntimes: () => Promise<unknown>
let send: (path: string, init?: RequestInit) => Promise<Response>

beforeAll(async () => {
  upstream = await startUpstream()
  const runtimes = [
    { image: 'acme/model', url: `${upstream.url}/api/v1` },
    { image: 'acme/hurried', url: `${upstream.url}/api/v1` },
    { image: 'acme/gone', url: 'http://127.0.0.1:1' },
  ]
  const file = join(temporaryFolder(), 'runtimes.json')
  writeFileSync(file, JSON.stringify({ runtimes }))
  const known = runtimesByImage(runtimes)
  // Short only if silence is tested: otherwise a busy machine would fail the test.
  const [patient, hurried] = [30_000, 2_000].map((silentForMs) => runtimesOf(known, upstreams({ silentForMs })))
  const model: Runtimes['model'] = (of) => (of.image === 'acme/hurried' ? hurried : patient)!.model(of)
  closeRuntimes = () => Promise.all([patient!.close(), hurried!.close()])
  world = await platformWorld({ env: { RUNTIMES_FILE: file }, adapters: { runtimes: { ...patient!, model } } })
  const api = world.as(world.admin)
  const secret = { API_KEY: 'CANARY-model-key' }
  await createResource(api, 'integrations/connections', 'key', { integration: 'openai', secret })
  const create = (name: string, spec: object) => createResource(api, 'models', name, spec)
  await create('own', { runtime: { image: 'acme/model' }, integrationConnections: ['key'] })
  await create('hurried', { runtime: { image: 'acme/hurried' } })
  await create('gone', { runtime: { image: 'acme/gone' } })
  await create('echo', { runtime: { image: 'local/echo' } })
  url = await world.listen()
  send = (path, init = {}) =>
    fetch(`${url}${path}`, {
      ...init,
      headers: { 'X-Service-Authorization': `Bearer ${world.admin.key}`, ...init.headers },
    })
})
afterAll(async () => {
  await world.close()
  await closeRuntimes()
  await upstream.close()
})
beforeEach(() => {
  Object.assign(upstream.state, { requests: [], cutOff: 0, written: 0 })
})

test.each([
  ['', '/api/v1'],
  ['/chat/completions', '/api/v1/chat/completions'],
  ['/v1/chat/completions', '/api/v1/chat/completions'],
  ['/a%2Fb?x=1&y=2', '/api/v1/a%2Fb?x=1&y=2'],
])('a model at %j is forwarded to %s of its upstream with the key of its connection', async (path, expected) => {
  const answer = await send(`/acme/models/own${path}`, { method: 'POST', body: '{"messages":[]}' })

  const [seen] = upstream.state.requests
  expect(answer.status).toBe(200)
  expect(seen).toMatchObject({ url: expected, body: '{"messages":[]}' })
  expect(seen?.headers.authorization).toBe('Bearer CANARY-model-key')
  expect(JSON.stringify(seen)).not.toContain(world.admin.key)
})

test('a new key of the connection applies to the next request', async () => {
  const spec = { integration: 'openai', secret: { API_KEY: 'CANARY-new-key' } }
  await send('/acme/models/own', { method: 'POST' })

  await world
    .as(world.admin)
    .put('/v0/integrations/connections/key')
    .send({ metadata: { name: 'key' }, spec })
  await send('/acme/models/own', { method: 'POST' })

  const keys = upstream.state.requests.map(({ headers }) => headers.authorization)
  expect(keys).toEqual(['Bearer CANARY-model-key', 'Bearer CANARY-new-key'])
})

test("a workload's response has the request ID and cannot act as a page of the platform", async () => {
  const answer = await send('/acme/models/own')

  expect(answer.headers.get('x-request-id')).toMatch(/^req_/)
  expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(answer.headers.get('cache-control')).toBe('no-store')
})

test("S14: a workload's page sets no cookies, runs no scripts and sets no origin-wide headers", async () => {
  const answer = await send('/acme/models/own/page')

  expect(answer.headers.get('set-cookie')).toBeNull()
  expect(answer.headers.get('clear-site-data')).toBeNull()
  expect(answer.headers.get('content-security-policy')).toMatch(/^sandbox; default-src 'none'/)
  expect(answer.headers.get('x-frame-options')).toBe('DENY')
  expect(answer.headers.get('cache-control')).toBe('max-age=60')
})

test('a body without a declared length reaches the upstream completely', async () => {
  const pieces = Array.from({ length: 50 }, (_, at) => Buffer.from(`piece ${at} `))
  const headers = { 'Content-Type': 'text/plain' }
  const init = { method: 'POST', headers, body: ReadableStream.from(pieces), duplex: 'half' } as RequestInit

  const answer = (await (await send('/acme/models/own', init)).json()) as { size: number }

  expect(answer.size).toBe(Buffer.concat(pieces).length)
})

test('forwards the status of the upstream', async () => {
  expect((await send('/acme/models/own/teapot')).status).toBe(418)
})

test('the echo model returns a chat completion, complete and as a stream', async () => {
  const body = { messages: [{ role: 'user', content: 'Hello there' }] }
  const post = (extra: object) =>
    send('/acme/models/echo/chat/completions', { method: 'POST', body: JSON.stringify({ ...body, ...extra }) })

  const whole = (await (await post({})).json()) as { model: string; choices: [{ message: { content: string } }] }
  const stream = await (await post({ stream: true })).text()

  expect([whole.model, whole.choices[0].message.content]).toEqual(['local/echo', 'Echo: Hello there'])
  expect(stream.trim().split('\n\n')).toHaveLength(5)
  expect(stream).toContain('data: [DONE]')
})

test.each([
  ['an unknown route', '/acme/what/ever', {}, 404, 'ROUTE_NOT_FOUND', false],
  ['an unknown model', '/acme/models/none', {}, 404, 'WORKLOAD_NOT_FOUND', false],
  ['an invalid name', '/acme/models/%2e%2e%2fown', {}, 404, 'WORKLOAD_NOT_FOUND', false],
  ['an unknown workspace', '/nobody/models/own', {}, 404, 'WORKSPACE_NOT_FOUND', false],
  ['no credential', '/acme/models/own', { 'X-Service-Authorization': '' }, 401, 'AUTHENTICATION_FAILED', false],
  ['an unreachable upstream', '/acme/models/gone', {}, 404, 'WORKLOAD_UNAVAILABLE', true],
  ['a silent upstream', '/acme/models/hurried/silent', {}, 404, 'WORKLOAD_UNAVAILABLE', true],
  ['a path traversal', '/acme/models/own/%2e%2e/%2e%2e/admin', {}, 400, 'BAD_REQUEST', false],
  ['a path traversal with backslashes', '/acme/models/own/..%5c..%5cadmin', {}, 400, 'BAD_REQUEST', false],
])('%s returns a nested error', async (_, path, headers, status, code, retryable) => {
  const answer = await raw('POST', path, headers)

  expect(answer.status).toBe(status)
  expect(GatewayError.parse(answer.body).error).toMatchObject({ code, status, retryable })
  expect(answer.head).toMatch(/x-service-source: platform/i)
  expect(upstream.state.requests).toEqual([])
})

test("TRACE, whose response would show the model's key, does not reach the upstream", async () => {
  const answer = await raw('TRACE', '/acme/models/own', {})

  expect([answer.status, answer.body.error.code]).toEqual([404, 'ROUTE_NOT_FOUND'])
  expect(upstream.state.requests).toEqual([])
})

test('rejects a body by its declared length before reading it', async () => {
  const answer = await raw('POST', '/acme/models/own', { 'Content-Length': String(10 ** 12) })

  expect([answer.status, answer.body.error.code]).toEqual([413, 'REQUEST_ENTITY_TOO_LARGE'])
})

test.each([
  ['a line feed', 'b\nX-Service-Workspace: other'],
  ['a carriage return', 'b\rX-Service-Workspace: other'],
  ['an end of text', 'b\u0000c'],
])('a header injection by %s returns 400, nested, and never reaches the upstream', async (_, value) => {
  const answer = await raw('POST', '/acme/models/own', { 'X-A': value })

  expect(answer.status).toBe(400)
  expect(GatewayError.parse(answer.body).error).toMatchObject({ code: 'BAD_REQUEST', status: 400, retryable: false })
  expect(answer.head).toMatch(/x-service-source: platform/i)
  expect(answer.head).toMatch(/x-service-error-code: BAD_REQUEST/i)
  expect(upstream.state.requests).toEqual([])
})

test('the first chunk of a stream is sent before the rest exists, and silence after it ends the response', async () => {
  const answer = await send('/acme/models/hurried/stall')
  const reader = answer.body!.getReader()

  const first = await reader.read()
  const end = await reader.read().then(
    ({ done }) => (done ? 'ended' : 'more'),
    () => 'broken off',
  )

  expect(Buffer.from(first.value!).toString()).toBe('first')
  expect(end).toBe('broken off')
})

test('a response that breaks off at the upstream breaks off at the caller', async () => {
  const answer = await send('/acme/models/own/break')

  await expect(answer.text()).rejects.toThrow()
})

test('a disconnecting caller stops the upstream, before and during the response', async () => {
  const early = new AbortController()
  const waiting = send('/acme/models/own/silent', { signal: early.signal }).catch(() => {})
  setImmediate(() => early.abort())
  await waiting
  const late = new AbortController()
  const streaming = await send('/acme/models/own/endless', { signal: late.signal })
  await streaming.body!.getReader().read()

  late.abort()

  await waitFor('the upstream saw the end', () => upstream.state.cutOff >= 1)
})

test('a caller that does not read applies backpressure to the upstream', async () => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.write(
    `GET /acme/models/own/endless HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Service-Authorization: Bearer ${world.admin.key}\r\n\r\n`,
  )
  socket.pause()
  await waitFor('the upstream writes', () => upstream.state.written > 0)

  // The count stops growing when all buffers are full.
  const settled = await waitFor(
    'the upstream stands still',
    async () => {
      const before = upstream.state.written
      await new Promise((resolve) => setTimeout(resolve, 150))
      return upstream.state.written === before && before
    },
    { withinMs: 30_000 },
  )
  socket.destroy()

  expect(settled).toBeLessThan(32 * 1024 * 1024)
})

/** Raw bytes, so that no client normalizes the path or headers. */
function raw(method: string, path: string, headers: Record<string, string>) {
  const sent = { 'X-Service-Authorization': `Bearer ${world.admin.key}`, 'Content-Length': '0', ...headers }
  const head = Object.entries(sent).map(([name, value]) => `${name}: ${value}`)
  return new Promise<{ status: number; head: string; body: { error: { code: string } } }>((resolve, reject) => {
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
    socket.write(`${method} ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${head.join('\r\n')}\r\n\r\n`)
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [top = '', body = ''] = text.split(/\r\n\r\n(.*)/s)
      const json = body.startsWith('{') ? body : body.replace(/^[0-9a-f]+\r\n/, '').replace(/\r\n0\r\n\r\n$/, '')
      try {
        resolve({ status: Number(top.split(' ')[1]), head: top, body: JSON.parse(json || '{}') })
      } catch (error) {
        reject(error)
      }
    })
  })
}
