// A model of a provider's API in a running platform, with a provider on loopback.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

const key = 'CANARY-provider-key'
const seen: Array<{ url: string; headers: IncomingHttpHeaders; body: { model?: string; stream?: boolean } }> = []

let finishSlowAnswer = () => {}
const line = (data: object) => `data: ${JSON.stringify(data)}\n\n`

const provider = createServer(async (req, res) => {
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
const baseUrl = `http://${host}/v1`
const world = await platformWorld({ env: { MODEL_EGRESS_ALLOW: host, EGRESS_ALLOW: '127.0.0.1:1' } })
const api = world.as(world.admin)
afterAll(async () => {
  await world.close()
  provider.close()
})

async function modelWith(
  name: string,
  secret: Record<string, string>,
  runtime: object = { type: 'openai', model: 'gpt-x' },
) {
  await createResource(api, 'integrations/connections', name, { integration: 'openai', secret })
  await createResource(api, 'models', name, { runtime, integrationConnections: [name] })
  return waitFor('its deployment is over', async () => {
    const { body } = await api.get(`/v0/models/${name}`)
    return body.status !== 'DEPLOYING' && body
  })
}

const ask = (name: string, body: object) =>
  request(world.app).post(`/acme/models/${name}/chat/completions`).auth(world.admin.key, { type: 'bearer' }).send(body)

test('P7: is deployed, called with the key of its connection, and billed by tokens', async () => {
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

test('a policy limits the tokens of a model', async () => {
  const policy = (spec: object) => ({ metadata: { name: 'frugal' }, spec: { type: 'maxToken', ...spec } })
  await createResource(api, 'policies', 'frugal', policy({ maxTokens: { granularity: 'day', total: 18 } }).spec)
  const runtime = { type: 'openai', model: 'gpt-x' }
  await createResource(api, 'integrations/connections', 'limited', {
    integration: 'openai',
    secret: { API_KEY: key, BASE_URL: baseUrl },
  })
  const spec = { runtime, integrationConnections: ['limited'], policies: ['frugal'] }
  await createResource(api, 'models', 'limited', spec)
  const isCounted = async (total: number) =>
    (await world.pool.query('select from token_use where input + output = $1', [total])).rowCount === 1

  const first = await ask('limited', { messages: [] })
  await waitFor('the first call is counted', () => isCounted(18))
  const second = await ask('limited', { messages: [] })
  await api
    .put('/v0/policies/frugal')
    .send(policy({ maxTokens: { granularity: 'day', input: 12 } }))
    .expect(200)
  const third = await ask('limited', { messages: [] })

  await waitFor('the third call is counted', () => isCounted(36))
  expect([first.status, second.status, third.status]).toEqual([200, 429, 200])
  expect(second.body.error).toMatchObject({
    code: 'TOO_MANY_REQUESTS',
    message: 'The policy frugal allows the model limited 18 tokens per day.',
  })
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(0)
})

test('P7: bills a caller who disconnects before a stream reports its usage', async () => {
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

test('P7: a key that the provider rejects is the connection owner’s task, and is not shown', async () => {
  await modelWith('refused', { API_KEY: 'CANARY-wrong-key', BASE_URL: baseUrl })

  const answer = await ask('refused', { messages: [] })

  expect([answer.status, answer.body.error.code, answer.body.error.retryable]).toEqual([
    502,
    'CONNECTION_UNUSABLE',
    false,
  ])
  expect(answer.body.error.message).toContain('The owner of the connection refused can fix this.')
  expect(answer.text).not.toContain('CANARY')
})

test.each(['http://169.254.169.254/latest', 'https://localhost/v1', 'http://127.0.0.1:1/v1', 'no address'])(
  'P7: the address %s is not called',
  async (url) => {
    const name = `inner-${url.length}`
    await modelWith(name, { API_KEY: key, BASE_URL: url })

    const answer = await ask(name, { messages: [] })

    expect([answer.status, answer.body.error.code]).toEqual([502, 'CONNECTION_UNUSABLE'])
    expect(answer.body.error.message).toContain('is blocked')
  },
)

test.each([
  ['no key', { OTHER: 'x' }, { type: 'openai', model: 'm' }, 'lacks API_KEY'],
  ['no URL for an unknown provider', { API_KEY: key }, { type: 'mistral', model: 'm' }, 'lacks BASE_URL'],
  ['no model', { API_KEY: key }, { type: 'openai' }, 'spec.runtime.model'],
])('P7: one with %s is FAILED and states which setting is missing', async (what, secret, runtime, words) => {
  const { status, events } = await modelWith(`odd-${what.length}`, secret as Record<string, string>, runtime)

  expect([status, events.at(-1).message]).toEqual(['FAILED', expect.stringContaining(words)])
})

test("P7: allows only inference with the owner's key", async () => {
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
