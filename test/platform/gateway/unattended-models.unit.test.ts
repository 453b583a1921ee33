// Providers report usage at the end, and callers may hang up before it.
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { billedTokens, noUsage, promptText, withEvent } from '../../../src/platform/gateway/domain/model-usage.ts'
import type { Gone, WorkloadAnswer, WorkloadRequest } from '../../../src/platform/gateway/domain/workload.ts'
import { type CallPorts, callModelApi } from '../../../src/platform/gateway/flows/call-model-api.ts'
import { unattendedRequests } from '../../../src/platform/gateway/flows/outlast-caller.ts'
import type { UsageEvent } from '../../../src/platform/shared/domain/usage.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'

const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
const chunk = (content: string) => ({ choices: [{ delta: { role: 'assistant', content } }], usage: null })
const usage = { prompt_tokens: 100, completion_tokens: 50 }
const prompt = { messages: [{ role: 'user', content: 'word '.repeat(80) }], stream: true }
/** 400 characters plus the role and model names. */
const promptTokens = Math.ceil((400 + 'user'.length + 'gpt-x'.length) / 4)

type Step = string | Promise<string>

function callWith({
  steps,
  status = 200,
  contentType = 'text/event-stream',
  maxConcurrent = 64,
  body = prompt as object,
  path = '',
}: {
  steps: Step[]
  status?: number
  contentType?: string
  maxConcurrent?: number
  body?: object
  path?: string
}) {
  const recorded: UsageEvent[] = []
  const told: unknown[] = []
  let graceIsOver = () => {}
  const grace = new Promise<void>((resolve) => (graceIsOver = resolve))
  const requests = unattendedRequests({ pause: () => grace, maxConcurrent })
  let cut = false
  const serve = async ({ signal }: WorkloadRequest): Promise<WorkloadAnswer> => {
    const aborted = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        cut = true
        reject(new Error('cut off'))
      })
    })
    aborted.catch(() => {})
    async function* arriving() {
      for (const step of steps) yield Buffer.from(await Promise.race([step, aborted]))
    }
    return { status, headers: { 'content-type': contentType }, body: arriving() }
  }
  const ports: CallPorts = {
    modelServer: () => serve,
    ...requests,
    usage: { record: (used: UsageEvent) => void recorded.push(used) } as never,
    tokenUse: { used: async () => ({ input: 0, output: 0 }), add: async () => {} },
    log: (name, fields) => void told.push([name, fields]),
    now: () => new Date('2026-03-02T10:00:00Z'),
  }
  const gone = new AbortController()
  const open = {
    workspace: 'acme',
    model: { id: 'm-1', name: 'gpt' } as never,
    api: { type: 'openai', model: 'gpt-x' },
    limits: [],
    connection: {
      id: 'c',
      version: 1,
      workspace: 'acme',
      name: 'provider',
      integration: 'openai',
      config: {},
      secrets: new Secret({ API_KEY: 'CANARY-provider-key' }),
    },
  }
  const ask = () =>
    callModelApi(ports, open, {
      requestId: 'r',
      path,
      headers: {},
      body: JSON.stringify(body),
      signal: gone.signal as Gone,
    })
  return {
    ask,
    /** Reads one chunk and hangs up. */
    async hangUpAfterOne() {
      const { body: answer } = await ask()
      const reading = answer[Symbol.asyncIterator]()
      await reading.next()
      gone.abort()
      void reading.return?.()
    },
    hangUp: () => gone.abort(),
    graceIsOver,
    requests,
    told,
    wasCut: () => cut,
    billed: () => recorded.map(({ eventId, quantity }) => [eventId, quantity]),
  }
}

const waiting = () => {
  let arrive = (_text: string) => {}
  return { step: new Promise<string>((resolve) => (arrive = resolve)), arrive: (text: string) => arrive(text) }
}

describe('a caller of a model who disconnects', () => {
  test('pays the reported usage if it comes within the grace period', async () => {
    const late = waiting()
    const call = callWith({ steps: [event(chunk('Hi')), late.step] })
    await call.hangUpAfterOne()
    expect(call.billed()).toEqual([])

    late.arrive(event({ choices: [], usage }))

    await waitFor('it is billed', () => call.billed().length > 0)
    expect(call.billed()).toEqual([
      ['r-input', 100],
      ['r-output', 50],
    ])
    expect([call.told, call.wasCut()]).toEqual([[], false])
  })

  test('pays a marked estimate if the response takes too long, and the provider is stopped', async () => {
    const call = callWith({ steps: [event(chunk('y'.repeat(40))), waiting().step] })
    await call.hangUpAfterOne()

    call.graceIsOver()

    await waitFor('it is billed', () => call.billed().length > 0)
    expect(call.billed()).toEqual([
      ['r-input-estimated', promptTokens],
      ['r-output-estimated', 10],
    ])
    expect(call.wasCut()).toBe(true)
    expect(call.told).toEqual([['usage.estimated', { requestId: 'r', workspace: 'acme', count: promptTokens + 10 }]])
  })

  test('pays an estimate if the rest exceeds the limit', async () => {
    const more = Array.from({ length: 40 }, () => event(chunk('y'.repeat(200_000))))
    const call = callWith({ steps: [event(chunk('y'.repeat(40))), ...more, event({ choices: [], usage })] })

    await call.hangUpAfterOne()

    await waitFor('it is billed', () => call.billed().length > 0)
    const [[, input], [name, output]] = call.billed() as [[string, number], [string, number]]
    expect([input, name]).toEqual([promptTokens, 'r-output-estimated'])
    expect(output).toBeGreaterThan(1_000_000)
    expect(output).toBeLessThan(1_200_000)
  })

  test('of a response that does not stream pays the reported usage', async () => {
    const late = waiting()
    const call = callWith({ steps: ['{"choices":[],', late.step], contentType: 'application/json' })
    await call.hangUpAfterOne()

    late.arrive(`"usage":${JSON.stringify(usage)}}`)

    await waitFor('it is billed', () => call.billed().length > 0)
    expect(call.billed()).toEqual([
      ['r-input', 100],
      ['r-output', 50],
    ])
  })

  test('is cut off immediately if too many other requests continue', async () => {
    const call = callWith({ steps: [event(chunk('Hi')), waiting().step], maxConcurrent: 0 })

    await call.hangUpAfterOne()

    await waitFor('it is billed', () => call.billed().length > 0)
    expect(call.wasCut()).toBe(true)
  })

  test('does not delay a shutdown', async () => {
    const call = callWith({ steps: [event(chunk('Hi')), waiting().step] })
    await call.hangUpAfterOne()

    call.requests.stop()

    await waitFor('it is billed', () => call.billed().length > 0)
    expect(call.wasCut()).toBe(true)
  })

  test('before anything was sent pays nothing', async () => {
    const call = callWith({ steps: [event(chunk('Hi')), waiting().step] })
    call.hangUp()
    call.graceIsOver()

    await call.ask()

    expect([call.billed(), call.told]).toEqual([[], []])
  })

  test.each([
    ['an error response', { status: 429 }],
    ['a free operation', { path: '/moderations' }],
  ])('pays nothing for %s', async (_what, odd) => {
    const call = callWith({ steps: ['{"error":', waiting().step], contentType: 'application/json', ...odd })
    await call.hangUpAfterOne()

    call.graceIsOver()

    await waitFor('it is over', () => call.wasCut())
    expect([call.billed(), call.told]).toEqual([[], []])
  })
})

describe('tokens without a reported figure', () => {
  const seen = (...events: object[]) => events.reduce<typeof noUsage>(withEvent, noUsage)
  const anthropicStart = { type: 'message_start', message: { usage: { input_tokens: 25, output_tokens: 1 } } }
  const anthropicText = { type: 'content_block_delta', delta: { type: 'text_delta', text: 'y'.repeat(80) } }

  test.each<[what: string, answer: typeof noUsage, billed: object]>([
    [
      'since the last figure of a message',
      seen(anthropicStart, anthropicText),
      { input: 25, output: 21, estimated: true },
    ],
    [
      'none of a finished message',
      { ...seen(anthropicStart, anthropicText, { type: 'message_delta', usage: { output_tokens: 1 } }), isWhole: true },
      { input: 25, output: 1, estimated: false },
    ],
    [
      'of a provider that reports no streams',
      { ...seen(chunk('y'.repeat(80))), isWhole: true },
      { input: 10, output: 20, estimated: true },
    ],
    [
      'in the arguments of a tool',
      seen({
        choices: [{ delta: { tool_calls: [{ id: 'call_123456', function: { name: 'find', arguments: '{"a":1}' } }] } }],
      }),
      { input: 10, output: 2, estimated: true },
    ],
    [
      'of a response',
      seen({ type: 'response.output_text.delta', delta: 'y'.repeat(40) }),
      { input: 10, output: 10, estimated: true },
    ],
    [
      'none if nothing was written before the end',
      { ...noUsage, isWhole: true },
      { input: 0, output: 0, estimated: false },
    ],
  ])('are estimated: %s', (_what, answer, billed) => {
    expect(billedTokens(answer, () => 40)).toEqual(billed)
  })

  test("don't include files in a prompt", () => {
    const image = `data:image/png;base64,${'iVBOR/+0'.repeat(100)}=`

    expect(promptText({ messages: [{ content: [{ text: 'What is this?' }, { image_url: { url: image } }] }] })).toBe(13)
  })
})
