// A model that a provider's API runs, over the whole platform: a provider on loopback stands for the API.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

const key = 'CANARY-provider-key'
let provider: Server
let baseUrl: string
let world: PlatformWorld
let api: ReturnType<PlatformWorld['as']>
const seen: Array<{ url: string; headers: IncomingHttpHeaders; body: { model?: string; stream?: boolean } }> = []

let finishSlowAnswer = () => {}
const line = (data: object) => `data: ${JSON.stringify(data)}\n\n`

beforeAll(async () => {
  provider = createServer(async (req, res) => {
    let text = ''
    for await (const piece of req) text += piece
    const body = JSON.parse(text)
    seen.push({ url: req.url ?? '', headers: req.headers, body })
    if (req.headers.authorization !== `Bearer ${key}`) {
      return res.writeHead(401).end(JSON.stringify({ error: `no such key: ${req.headers.authorization}` }))
    }
    if (!body.stream) {
      res.setHeader('content-type', 'application/json')
      return res.end(JSON.stringify({ model: body.model, usage: { prompt_tokens: 11, completion_tokens: 7 } }))
    }
    res.setHeader('content-type', 'text/event-stream')
    res.write(line({ choices: [{ delta: { content: 'Hi' } }] }))
    if (body.slow) await new Promise<void>((resolve) => (finishSlowAnswer = resolve))
    res.write(line({ choices: [], usage: { prompt_tokens: 100, completion_tokens: 50 } }))
    res.end('data: [DONE]\n\n')
  })
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(provider.address() as AddressInfo).port}`
  baseUrl = `http://${host}/v1`
  world = await platformWorld({ env: { MODEL_EGRESS_ALLOW: host, EGRESS_ALLOW: '127.0.0.1:1' } })
  api = world.as(world.admin)
})
afterAll(async () => {
  await world.close()
  provider.close()
})

async function modelWith(
  name: string,
  secret: Record<string, string>,
  runtime: object = { type: 'openai', model: 'gpt-x' },
) {
  await api
    .post('/v0/integrations/connections')
    .send({ metadata: { name }, spec: { integration: 'openai', secret } })
    .expect(200)
  await api
    .post('/v0/models')
    .send({ metadata: { name }, spec: { runtime, integrationConnections: [name] } })
    .expect(200)
  return waitFor('its deployment is over', async () => {
    const { body } = await api.get(`/v0/models/${name}`)
    return body.status !== 'DEPLOYING' && body
  })
}

const ask = (name: string, body: object) =>
  request(world.app).post(`/acme/models/${name}/chat/completions`).auth(world.admin.key, { type: 'bearer' }).send(body)

test('P7: it is deployed, asked with the key of its connection, and its tokens are billed', async () => {
  const { status, spec } = await modelWith('gpt', { API_KEY: key, BASE_URL: baseUrl })

  const whole = await ask('gpt', { messages: [] })
  const stream = await ask('gpt', { messages: [], stream: true })

  expect([status, spec.runtime.model]).toEqual(['DEPLOYED', 'gpt-x'])
  expect([whole.status, whole.body.model]).toEqual([200, 'gpt-x'])
  expect(stream.text).toBe(`${line({ choices: [{ delta: { content: 'Hi' } }] })}data: [DONE]\n\n`)
  expect(seen.at(-1)).toMatchObject({ url: '/v1/chat/completions', body: { model: 'gpt-x' } })
  expect(JSON.stringify(seen)).not.toContain(world.admin.key)
  const billed = async () =>
    (
      await world.pool.query(`select dimension, sum(quantity)::int as sum from usage_events
      where resource_name = 'gpt' group by 1 order by 1`)
    ).rows
  await waitFor('both are billed', async () => (await billed())[0]?.sum === 111)
  expect(await billed()).toEqual([
    { dimension: 'model_input_tokens_count', sum: 111 },
    { dimension: 'model_output_tokens_count', sum: 57 },
  ])
})

test('P7: a caller who hangs up before the usage of a stream came is billed for it all the same', async () => {
  await modelWith('left', { API_KEY: key, BASE_URL: baseUrl })
  const caller = new AbortController()
  const answer = await fetch(`${await world.listen()}/acme/models/left`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.admin.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ messages: [], stream: true, slow: true }),
    signal: caller.signal,
  })
  await answer.body!.getReader().read()

  caller.abort()
  finishSlowAnswer()

  const billed = async () =>
    (await world.pool.query(`select event_id, quantity::int from usage_events where resource_name = 'left' order by 2`))
      .rows
  await waitFor('it is billed', async () => (await billed()).length === 2)
  expect((await billed()).map(({ quantity, event_id }) => [quantity, /-estimated$/.test(event_id)])).toEqual([
    [50, false],
    [100, false],
  ])
})

test('P7: a key that the provider does not accept is the connection owner’s matter, and is not shown', async () => {
  await modelWith('refused', { API_KEY: 'CANARY-wrong-key', BASE_URL: baseUrl })

  const answer = await ask('refused', { messages: [] })

  expect([answer.status, answer.body.error.code, answer.body.error.retryable]).toEqual([
    502,
    'CONNECTION_UNUSABLE',
    false,
  ])
  expect(answer.body.error.message).toContain('The owner of the connection refused can fix that.')
  expect(answer.text).not.toContain('CANARY')
})

test.each(['http://169.254.169.254/latest', 'https://localhost/v1', 'http://127.0.0.1:1/v1', 'no address'])(
  'P7: the address %s is not called',
  async (url) => {
    const name = `inner-${url.length}`
    await modelWith(name, { API_KEY: key, BASE_URL: url })

    const answer = await ask(name, { messages: [] })

    expect([answer.status, answer.body.error.code]).toEqual([502, 'CONNECTION_UNUSABLE'])
    expect(answer.body.error.message).toContain('is not called from here')
  },
)

test.each([
  ['no key', { OTHER: 'x' }, { type: 'openai', model: 'm' }, 'lacks API_KEY'],
  ['no address of an unknown provider', { API_KEY: key }, { type: 'mistral', model: 'm' }, 'lacks BASE_URL'],
  ['no model', { API_KEY: key }, { type: 'openai' }, 'spec.runtime.model'],
])('P7: one with %s is FAILED and says what to set', async (what, secret, runtime, words) => {
  const { status, events } = await modelWith(`odd-${what.length}`, secret as Record<string, string>, runtime)

  expect([status, events.at(-1).message]).toEqual(['FAILED', expect.stringContaining(words)])
})

test('P7: anything but inference stays with the owner of the key', async () => {
  await modelWith('narrow', { API_KEY: key, BASE_URL: baseUrl })
  const before = seen.length

  const files = await request(world.app)
    .post('/acme/models/narrow/files')
    .auth(world.admin.key, { type: 'bearer' })
    .send({})
  const list = await request(world.app).get('/acme/models/narrow/models').auth(world.admin.key, { type: 'bearer' })

  expect([files.body.error.code, list.body.error.code]).toEqual(['ROUTE_NOT_FOUND', 'ROUTE_NOT_FOUND'])
  expect(seen).toHaveLength(before)
})
