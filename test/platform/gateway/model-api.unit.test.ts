import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { missingSecrets, modelRequest } from '../../../src/platform/gateway/domain/model-api.ts'
import { type AnswerUsage, countsOf } from '../../../src/platform/gateway/domain/model-usage.ts'
import type { WorkloadAnswer } from '../../../src/platform/gateway/domain/workload.ts'
import { type CallPorts, callModelApi } from '../../../src/platform/gateway/flows/call-model-api.ts'
import { meteredAnswer } from '../../../src/platform/gateway/flows/metered-answer.ts'
import { unattendedRequests } from '../../../src/platform/gateway/flows/outlast-caller.ts'
import type { Failure } from '../../../src/platform/shared/domain/failure.ts'
import type { UsageEvent } from '../../../src/platform/shared/domain/usage.ts'

const key = 'CANARY-provider-key'
const connectionWith = (secret: Record<string, string>) => ({
  id: 'c',
  version: 1,
  workspace: 'acme',
  name: 'provider',
  integration: 'openai',
  config: {},
  secrets: new Secret(secret),
})
const ask = (type: string, path: string, body: object = {}, secret: Record<string, string> = {}, headers = {}) =>
  modelRequest({
    api: { type, model: 'large-1' },
    connection: connectionWith({ API_KEY: key, ...secret }),
    path,
    headers: { cookie: 'a=b', 'x-forwarded-for': '10.0.0.1', ...headers },
    body: JSON.stringify(body),
  })

describe('P7: a request to a model without an image', () => {
  test.each([
    ['openai', '', 'https://api.openai.com/v1', '/chat/completions'],
    ['openai', '/v1/chat/completions', 'https://api.openai.com/v1', '/chat/completions'],
    ['openai', '/embeddings', 'https://api.openai.com/v1', '/embeddings'],
    ['anthropic', '', 'https://api.anthropic.com/v1', '/messages'],
    ['anthropic', '/v1/messages?beta=true', 'https://api.anthropic.com/v1', '/messages?beta=true'],
    ['anthropic', '/chat/completions', 'https://api.anthropic.com/v1', '/chat/completions'],
  ])('of %s at %j goes to %s%s', (type, path, baseUrl, sent) => {
    expect(ask(type, path)).toMatchObject({ baseUrl, path: sent })
  })

  test("contains the provider's form of the key, the model of the resource, and no other data of the caller", () => {
    const openai = ask('openai', '', { model: 'other', messages: [] })
    const anthropic = ask('anthropic', '', {}, { BASE_URL: 'https://proxy.example' }, { 'anthropic-beta': 'b' })

    const common = { 'accept-encoding': 'identity', 'content-type': 'application/json', 'user-agent': 'causeway' }
    expect(openai.headers).toEqual({ ...common, authorization: `Bearer ${key}` })
    expect(JSON.parse(openai.body)).toEqual({ model: 'large-1', messages: [] })
    expect(anthropic.headers).toEqual({
      ...common,
      'x-api-key': key,
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'b',
    })
    expect(anthropic.baseUrl).toBe('https://proxy.example/v1')
  })

  test.each([
    ['/files', 'openai'],
    ['/models', 'openai'],
    ['/fine_tuning/jobs', 'openai'],
    ['/chat/../files', 'openai'],
    ['/messages/batches', 'anthropic'],
  ])('for %s of %s is rejected: the key could do more than inference', (path, type) => {
    expect(() => ask(type, path)).toThrow(/^route_unknown: Unknown operation. This model supports \/.*completions/)
  })

  test.each([
    ['millions of objects', `{"messages":[${'{},'.repeat(2_000_000)}{}]}`],
    ['millions of numbers', `{"input":[${'1,'.repeat(2_000_000)}1]}`],
    ['nested arrays', `{"messages":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ])('A1: %s in one body are rejected before parsing', (_what, body) => {
    const asked = { api: { type: 'openai', model: 'm' }, connection: connectionWith({ API_KEY: key }), path: '' }

    expect(() => modelRequest({ ...asked, headers: {}, body })).toThrow(
      expect.objectContaining({ code: 'body_too_large' }),
    )
  })

  test('A1: a long prompt is accepted, whatever characters it has', () => {
    const content = `${'{[,\\"'.repeat(500_000)}\\`

    expect(JSON.parse(ask('openai', '', { messages: [{ content }] }).body).messages).toEqual([{ content }])
  })

  test.each(['a'.repeat(2_049), `${key}\n`, `${key}\r\nx-evil: 1`, 'ключ-провайдера'])(
    'A2: an invalid key is reported as the connection owner’s task',
    (wrong) => {
      expect(() => ask('openai', '', {}, { API_KEY: wrong })).toThrow(
        expect.objectContaining({ code: 'connection_unusable', detail: expect.not.stringContaining(key) }),
      )
    },
  )

  test('to another provider needs an address and sends no provider-specific options', () => {
    const mistral = ask('mistral', '', { stream: true }, { BASE_URL: 'https://api.mistral.example/v1' })

    expect(() => ask('mistral', '')).toThrow('The connection provider lacks BASE_URL')
    expect([mistral.baseUrl, mistral.hidesUsage]).toEqual(['https://api.mistral.example/v1', false])
    expect(JSON.parse(mistral.body)).toEqual({ model: 'large-1', stream: true })
    expect(missingSecrets({ type: 'mistral', model: 'm' }, ['apiKey'])).toEqual(['BASE_URL'])
    expect(missingSecrets({ type: 'openai', model: 'm' }, [])).toEqual(['API_KEY'])
  })

  test('that streams requests usage and hides it from a caller that did not', () => {
    const silent = ask('openai', '', { stream: true })
    const asking = ask('openai', '', { stream: true, stream_options: { include_usage: true } })

    expect(JSON.parse(silent.body).stream_options).toEqual({ include_usage: true })
    expect([silent.hidesUsage, asking.hidesUsage]).toEqual([true, false])
  })
})

async function* pieces(text: string, size: number) {
  for (let at = 0; at < text.length; at += size) yield Buffer.from(text.slice(at, at + size))
}

async function read(text: string, contentType: string, { size = 7, hidesUsage = false } = {}) {
  const reports: AnswerUsage[] = []
  const body = meteredAnswer(pieces(text, size), {
    contentType,
    hidesUsage,
    secret: key,
    report: (u) => reports.push(u),
  })
  let passed = ''
  for await (const chunk of body) passed += Buffer.from(chunk).toString()
  return { passed, counts: reports.map(({ reported }) => countsOf(reported)) }
}

const event = (data: object, name?: string) => `${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`
const chunk = { choices: [{ delta: { content: 'Hi' } }], usage: null }
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }

describe('P7: the usage of an answer', () => {
  test.each<[what: string, text: string, contentType: string, counts: object]>([
    ['a chat completion', JSON.stringify({ choices: [], usage }), 'application/json', { input: 11, output: 7 }],
    [
      'an embedding',
      '{"data":[],"usage":{"prompt_tokens":5,"total_tokens":5}}',
      'application/json',
      { input: 5, output: 0 },
    ],
    [
      'a message with cached tokens',
      '{"usage":{"input_tokens":3,"cache_creation_input_tokens":20,"cache_read_input_tokens":100,"output_tokens":9}}',
      'application/json; charset=utf-8',
      { input: 123, output: 9 },
    ],
    [
      'a stream of chunks',
      `${event(chunk)}${event({ choices: [], usage })}data: [DONE]\n\n`,
      'text/event-stream',
      { input: 11, output: 7 },
    ],
    [
      'a stream of a message with cumulative figures',
      [
        event({ type: 'message_start', message: { usage: { input_tokens: 25, output_tokens: 1 } } }, 'message_start'),
        event({ type: 'message_delta', usage: { output_tokens: 15 } }, 'message_delta'),
      ].join(''),
      'text/event-stream; charset=utf-8',
      { input: 25, output: 15 },
    ],
    [
      'a response',
      event({ type: 'response.completed', response: { usage: { input_tokens: 2, output_tokens: 3 } } }),
      'text/event-stream',
      { input: 2, output: 3 },
    ],
    ['a response without usage', '{"choices":[]}', 'application/json', { input: 0, output: 0 }],
    [
      'invalid figures',
      '{"usage":{"prompt_tokens":-1,"completion_tokens":"many"}}',
      'application/json',
      { input: 0, output: 0 },
    ],
    ['no JSON', 'Bad Gateway', 'text/html', { input: 0, output: 0 }],
  ])('is read from %s, which passes unchanged', async (_what, text, contentType, counts) => {
    expect(await read(text, contentType)).toEqual({ passed: text, counts: [counts] })
  })

  test('is removed from a stream whose caller did not ask for it', async () => {
    const text = `${event(chunk)}${event({ choices: [], usage })}data: [DONE]\n\n`

    const { passed, counts } = await read(text, 'text/event-stream', { hidesUsage: true })

    expect(passed).toBe(`${event(chunk)}data: [DONE]\n\n`)
    expect(counts).toEqual([{ input: 11, output: 7 }])
  })

  test.each([1, 5, 1_000])('hides an echoed key, in chunks of %i bytes', async (size) => {
    const { passed } = await read(`{"error":"key ${key} and ${key} are wrong, CANARY-not"}`, 'application/json', {
      size,
    })

    expect(passed).toBe('{"error":"key [secret] and [secret] are wrong, CANARY-not"}')
  })

  test('A3: is read from the end of a response that is too long to buffer', async () => {
    const numbers = JSON.stringify(Array.from({ length: 1_024 }, () => 0.123456789))
    const data = Array.from({ length: 1_000 }, () => `{"embedding":${numbers}}`).join(',')
    const text = `{"data":[${data}],"usage":{"prompt_tokens":8000,"total_tokens":8000}}`

    const { passed, counts } = await read(text, 'application/json', { size: 65_536 })

    expect([passed === text, counts]).toEqual([true, [{ input: 8_000, output: 0 }]])
  })

  test.each([
    ['\n', 1],
    ['\r\n', 1],
    ['\r\n', 3],
    ['\n', 1_000],
  ])('A2: splits events that end with %j in chunks of %i bytes', async (end, size) => {
    const text = `${event(chunk)}${event({ choices: [], usage })}data: [DONE]\n\n`.replaceAll('\n', end)

    const { passed, counts } = await read(text, 'text/event-stream', { size, hidesUsage: true })

    expect(passed).toBe(`${event(chunk)}data: [DONE]\n\n`.replaceAll('\n', end))
    expect(counts).toEqual([{ input: 11, output: 7 }])
  })

  test('A2: scans each small chunk of an endless event once', async () => {
    const looked = lookedThrough()

    await read('x'.repeat(800_000), 'text/event-stream', { size: 100 })

    // Each chunk is searched for both ends of an event; rescanning would search 3,200,000,000 characters.
    expect(looked()).toBeGreaterThanOrEqual(800_000)
    expect(looked()).toBeLessThan(8_000_000)
  })
})

/** Counts searched characters. */
function lookedThrough(): () => number {
  let characters = 0
  for (const method of ['includes', 'indexOf', 'lastIndexOf', 'split', 'search', 'match'] as const) {
    const original = String.prototype[method] as (...given: unknown[]) => unknown
    vi.spyOn(String.prototype, method).mockImplementation(function (this: string, ...given: unknown[]) {
      characters += this.length
      return original.apply(this, given) as never
    })
  }
  onTestFinished(() => void vi.restoreAllMocks())
  return () => characters
}

describe('P7: an API', () => {
  const call = async (answer: Partial<WorkloadAnswer>, isCalled = true) => {
    const recorded: UsageEvent[] = []
    const serve = async () => ({ status: 200, headers: {}, body: pieces('{}', 1), ...answer })
    const ports: CallPorts = {
      modelServer: () => (isCalled ? serve : undefined),
      usage: { record: (used: UsageEvent) => void recorded.push(used) } as never,
      tokenUse: { used: async () => ({ input: 0, output: 0 }), add: async () => {} },
      ...unattendedRequests({ pause: async () => {} }),
      log() {},
      now: () => new Date('2026-03-02T10:00:00Z'),
    }
    const model = { id: 'm-1', name: 'gpt' } as never
    const open = {
      workspace: 'acme',
      model,
      api: { type: 'openai', model: 'x' },
      limits: [],
      connection: connectionWith({ API_KEY: key }),
    }
    const signal = { aborted: false, addEventListener() {} }
    const answered = await callModelApi(ports, open, { requestId: 'r', path: '', headers: {}, body: '{}', signal })
    let text = ''
    for await (const piece of answered.body) text += Buffer.from(piece).toString()
    return { ...answered, text, recorded }
  }

  test.each<[what: string, answer: Partial<WorkloadAnswer>, isCalled: boolean, words: string]>([
    ['that rejects the key', { status: 401 }, true, 'rejected the key'],
    ['that forbids the key', { status: 403 }, true, 'rejected the key'],
    ['that redirects', { status: 307, headers: { location: 'http://10.0.0.1/' } }, true, 'redirect'],
    ['that compresses', { headers: { 'content-encoding': 'gzip' } }, true, 'encoding'],
    ['at a private address', {}, false, 'is blocked'],
  ])('%s is reported as the connection owner’s task', async (_what, answer, isCalled, words) => {
    const failure: Failure = await call(answer, isCalled).catch((error) => error)

    expect(failure.code).toBe('connection_unusable')
    expect(failure.detail).toContain(words)
    expect(failure.detail).toContain('The owner of the connection provider can fix this.')
  })

  test.each([400, 404, 429, 500, 529])("that returns %i is forwarded without the owner's account", async (status) => {
    const headers = { 'openai-organization': 'acme-org', 'retry-after': '3', 'x-echo': `Bearer ${key}` }

    const answer = await call({ status, headers })

    expect([answer.status, answer.headers, answer.text]).toEqual([status, { 'retry-after': '3' }, '{}'])
  })

  test('is metered by the reported usage, once per request', async () => {
    const body = pieces(JSON.stringify({ usage }), 5)

    const { recorded } = await call({ headers: { 'content-type': 'application/json' }, body })

    expect(
      recorded.map(({ eventId, dimension, quantity, resourceName }) => [eventId, dimension, quantity, resourceName]),
    ).toEqual([
      ['r-input', 'model_input_tokens_count', 11, 'gpt'],
      ['r-output', 'model_output_tokens_count', 7, 'gpt'],
    ])
  })
})
