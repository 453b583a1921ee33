import { createHmac } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import request from 'supertest'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { awaitRedis, openRedis } from '../../../src/kit/database/redis.ts'
import { startUpstream, type UpstreamDouble } from '../../support/doubles/upstream.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createRedisDatabase, temporaryFolder } from '../../support/processes/stores.ts'
import { createResource, type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

let world: PlatformWorld
let upstream: UpstreamDouble
let redisUrl: string
let api: ReturnType<PlatformWorld['as']>
let url: string

beforeAll(async () => {
  upstream = await startUpstream()
  redisUrl = await createRedisDatabase()
  const file = join(temporaryFolder(), 'runtimes.json')
  writeFileSync(file, JSON.stringify({ runtimes: [{ image: 'acme/agent', url: `${upstream.url}/agent` }] }))
  const env = { REDIS_URL: redisUrl, RUNTIMES_FILE: file, EGRESS_ALLOW: new URL(upstream.url).host }
  world = await platformWorld({ env })
  api = world.as(world.admin)
  const triggers = [
    {
      type: 'http-async',
      configuration: { callbackUrl: `${upstream.url}/callback`, callbackSecret: 'hush', retry: 2 },
    },
  ]
  await create('echo', { runtime: { image: 'local/echo' }, triggers })
  await create('other', { runtime: { image: 'local/echo' } })
  await create('own', { runtime: { image: 'acme/agent', memory: 1_024 }, triggers })
  url = await world.listen()
})
afterAll(async () => {
  await world.close()
  await upstream.close()
})
beforeEach(() => {
  Object.assign(upstream.state, { requests: [], callbacks: [], failingCallbacks: 0, cutOff: 0 })
})

const create = (name: string, spec: object) => createResource(api, 'agents', name, spec)

const ask = (name: string, body: object, headers: Record<string, string> = {}) =>
  request(world.app)
    .post(`/acme/agents/${name}`)
    .set({ 'X-Service-Authorization': `Bearer ${world.admin.key}`, ...headers })
    .send(body)

test('the echo agent returns its inputs and its image', async () => {
  const { status, body } = await ask('echo', { inputs: 'Hello' })

  expect(status).toBe(200)
  expect(body).toEqual({ runtime: 'local/echo', note: 'This agent only echoes.', output: 'Hello', remembered: 0 })
})

test('a thread keeps its messages per agent and thread ID, and nothing is stored without one', async () => {
  await ask('echo', { inputs: 'one' }, { 'X-Service-Thread-Id': 't1' })
  const second = await ask('echo', { inputs: 'two' }, { 'X-Service-Thread-Id': 't1' })
  const other = await ask('echo', { inputs: 'three' }, { 'X-Service-Thread-Id': 't2' })
  const elsewhere = await ask('other', { inputs: 'three' }, { 'X-Service-Thread-Id': 't1' })
  const none = await ask('echo', { inputs: 'four' })

  expect(second.body.remembered).toBe(2)
  expect([other, elsewhere, none].map(({ body }) => body.remembered)).toEqual([0, 0, 0])
})

test('threads with the same IDs in two workspaces are separate', async () => {
  const stranger = await world.enter('other', 'user@other.example', 'other')
  await createResource(world.as(stranger), 'agents', 'echo', { runtime: { image: 'local/echo' } })
  await ask('echo', { inputs: 'secret' }, { 'X-Service-Thread-Id': 'same' })

  const theirs = await request(world.app)
    .post('/other/agents/echo')
    .set({ Authorization: `Bearer ${stranger.key}`, 'X-Service-Thread-Id': 'same' })
    .send({ inputs: 'hi' })

  expect(theirs.body.remembered).toBe(0)
})

test('a thread keeps its last hundred messages and expires after an idle day', async () => {
  for (let turn = 0; turn < 55; turn++) await ask('echo', { inputs: `${turn}` }, { 'X-Service-Thread-Id': 'long' })

  const { body } = await ask('echo', { inputs: 'last' }, { 'X-Service-Thread-Id': 'long' })
  const thread = { workspace: 'acme', agent: (await idOf('echo')) as string, id: 'long' }
  const kept = await world.adapters.threads?.recall(thread)
  const client = openRedis(redisUrl)
  await awaitRedis(client, 10_000)
  const lives = await Promise.all((await client.keys('platform:thread:*')).map((key) => client.ttl(key)))
  client.disconnect()

  expect(body.remembered).toBe(100)
  expect(lives.every((seconds) => seconds > 0 && seconds <= 24 * 60 * 60)).toBe(true)
  expect(kept?.at(-2)?.content).toBe('last')
})

test.each(['', 'x'.repeat(257), 'a\tb', 'ü'])('the thread ID %j is rejected', async (id) => {
  const { status, body } = await ask('echo', { inputs: 'x' }, { 'X-Service-Thread-Id': id })

  expect([status, body.error.code]).toEqual([400, 'BAD_REQUEST'])
})

test("an agent with a URL gets the original request without the platform's credential", async () => {
  const answer = await ask('own', { inputs: 'Hello' }, { Authorization: 'Bearer for-the-agent', Cookie: 'a=b' })

  const [seen] = upstream.state.requests
  expect(seen).toMatchObject({ method: 'POST', url: '/agent', body: '{"inputs":"Hello"}' })
  expect(seen?.headers).toMatchObject({ authorization: 'Bearer for-the-agent' })
  // S14: session cookies of this origin are not sent to workloads.
  expect(seen?.headers.cookie).toBeUndefined()
  expect(JSON.stringify(seen)).not.toContain(world.admin.key)
  expect(answer.headers).toMatchObject({ 'x-service-source': 'workload', 'x-own': 'kept' })
})

test.each([
  ['the echo', 'echo', {}],
  ['a thread of an agent', 'own', { 'X-Service-Thread-Id': 'odd' }],
])('%s rejects inputs that are not text', async (_, agent, headers) => {
  for (const inputs of [5, null, { text: 'x' }, ['x']]) {
    const answer = await ask(agent, { inputs }, headers)

    expect(answer.body.error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining('inputs') })
  }
  expect(upstream.state.requests).toEqual([])
})

test('an agent with a URL gets the messages of the thread', async () => {
  await ask('own', { inputs: 'one' }, { 'X-Service-Thread-Id': 'h' })
  await ask('own', { inputs: 'two', extra: 1 }, { 'X-Service-Thread-Id': 'h' })

  const sent = JSON.parse(upstream.state.requests[1]!.body)
  expect(sent).toMatchObject({
    inputs: 'two',
    extra: 1,
    messages: [{ role: 'user', content: 'one' }, { role: 'assistant' }],
  })
})

test('responses that are stored are requested uncompressed, others may be compressed', async () => {
  const thread = { 'X-Service-Thread-Id': 'packed' }
  const passed = await ask('own/packed', { inputs: 'one' })
  await ask('own/packed', { inputs: 'one' }, thread)
  await ask('own/packed', { inputs: 'two' }, thread)
  await ask('own/packed?async=true', { inputs: 'later' })

  const { body } = await waitFor('the callback came', () => upstream.state.callbacks[0])

  expect([passed.headers['content-encoding'], passed.text]).toEqual(['gzip', 'packed'])
  expect(JSON.parse(upstream.state.requests[2]!.body).messages[1]).toEqual({ role: 'assistant', content: 'in clear' })
  expect(JSON.parse(body).response_body).toBe('in clear')
})

test('rejects a body that is not UTF-8 if it must be stored', async () => {
  const headers = { 'X-Service-Authorization': `Bearer ${world.admin.key}` }
  const init = { method: 'POST', headers, body: Buffer.from([0x7b, 0xff, 0x7d]) }

  const answer = await fetch(`${url}/acme/agents/own?async=true`, init)

  expect([answer.status, await answer.json()]).toMatchObject([400, { error: { code: 'BAD_REQUEST' } }])
})

test('an asynchronous request returns immediately, and its signed callback is retried after a rejection', async () => {
  upstream.state.failingCallbacks = 1

  const { body } = await ask('own?async=true', { inputs: 'later' })
  const callback = await waitFor('the callback came', () => upstream.state.callbacks[1])

  expect(body).toEqual({ success: true })
  expect(JSON.parse(callback.body)).toMatchObject({
    status_code: 200,
    response_body: expect.stringContaining('"url":"/agent"'),
    response_length: expect.any(Number),
    timestamp: expect.any(Number),
  })
  const signature = createHmac('sha256', 'hush').update(callback.body).digest('hex')
  expect(callback.headers).toMatchObject({
    'x-service-signature': `sha256=${signature}`,
    'x-service-timestamp': expect.stringMatching(/^\d{10}$/),
  })
})

test('the callback of an http trigger gets the response to an asynchronous request', async () => {
  const configuration = { callbackUrl: `${upstream.url}/callback` }
  await create('plain', { runtime: { image: 'local/echo' }, triggers: [{ type: 'http', configuration }] })

  await ask('plain?async=true', { inputs: 'later' })
  const { body } = await waitFor('the callback came', () => upstream.state.callbacks[0])

  expect(JSON.parse(JSON.parse(body).response_body).output).toBe('later')
})

test('meters requests and asynchronous requests once each', async () => {
  await create('metered', { runtime: { image: 'acme/agent' } })
  await ask('metered', { inputs: 'x' })
  await ask('metered?async=true', { inputs: 'x' })

  const rows = await waitFor('its requests are metered', async () => {
    const found = await world.pool.query(
      `select dimension, quantity from usage_events where resource_name = 'metered' order by dimension, quantity`,
    )
    return found.rows.length >= 3 && found.rows
  })

  expect(rows.map(({ dimension }) => dimension)).toEqual([
    'agent_async_requests_count',
    'agent_compute_runtime_gbs',
    'agent_compute_runtime_gbs',
  ])
  expect(Number(rows[0].quantity)).toBe(1)
})

test('an agent with an unknown image is FAILED with an event that explains registration, and is unavailable', async () => {
  await create('odd', { runtime: { image: 'acme/unheard' } })

  const failed = await waitFor('the agent failed', async () => {
    const { body } = await api.get('/v0/agents/odd')
    return body.status === 'FAILED' && body
  })
  const { body } = await ask('odd', { inputs: 'x' })

  expect(failed.events.at(-1).message).toContain('add it to the runtimes file')
  expect(body.error).toMatchObject({ code: 'WORKLOAD_UNAVAILABLE', retryable: true })
})

const stream = (headers: Record<string, string>, signal: AbortSignal) =>
  fetch(`${url}/acme/agents/own/stall`, {
    method: 'POST',
    headers: { 'X-Service-Authorization': `Bearer ${world.admin.key}`, ...headers },
    body: '{"inputs":"Hello"}',
    signal,
  })

test.each([
  ['without a thread,', {}],
  ['in a thread,', { 'X-Service-Thread-Id': 'streamed' }],
])(
  '%s the first chunk of a response is sent before the rest exists, and a disconnect stops the agent',
  async (_, headers) => {
    const caller = new AbortController()

    const answer = await stream(headers, caller.signal)
    const first = await answer.body!.getReader().read()
    caller.abort()

    expect(Buffer.from(first.value!).toString()).toBe('first')
    await waitFor('the agent saw the end', () => upstream.state.cutOff === 1)
  },
)

test('a thread does not store a turn whose caller disconnected', async () => {
  const thread = { 'X-Service-Thread-Id': 'cut' }
  const caller = new AbortController()
  await stream(thread, caller.signal)
  caller.abort()
  await waitFor('the agent saw the end', () => upstream.state.cutOff === 1)

  await ask('own', { inputs: 'again' }, thread)

  expect(JSON.parse(upstream.state.requests[0]!.body).messages).toEqual([])
})

const idOf = async (name: string) =>
  (await world.pool.query(`select id from resources where kind = 'agent' and workspace = 'acme' and name = $1`, [name]))
    .rows[0]?.id

// Must be the last test: Redis stays down.
test('without Redis, requests with a thread get a retryable error and others are answered', async () => {
  world.adapters.redis?.disconnect()

  const named = await ask('echo', { inputs: 'x' }, { 'X-Service-Thread-Id': 'away' })
  const plain = await ask('echo', { inputs: 'x' })

  expect([named.status, named.body.error.retryable]).toEqual([503, true])
  expect(plain.status).toBe(200)
})
