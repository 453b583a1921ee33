import { z } from 'zod'
import { AgentRequest } from '../../../contract/gateway/requests.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { echoImage, isEchoImage, type RuntimesByImage } from '../domain/runtime.ts'
import type { Bytes, Runtimes, Serve, WorkloadAnswer } from '../domain/workload.ts'
import type { Scaled } from './containers/scaled-containers.ts'
import type { Upstreams } from './http-runtime.ts'

/** `inContainer` is undefined if the engine runs no servers. */
export function runtimesOf(known: RuntimesByImage, outside: Upstreams, inContainer?: (scaled: Scaled) => Serve) {
  const find = (workload: Parameters<Runtimes['agent']>[0], echo: Serve | undefined) => {
    const { id: resource, revision: id, image, memoryMb, port, envs: env, maxContainers: max } = workload
    const runtime = known.find(image)
    if (runtime) return 'url' in runtime ? outside.at(runtime.url) : undefined
    if (isEchoImage(image)) return echo
    return inContainer?.({ resource, kept: { id, image, memoryMb, serves: { port, env } }, port, max })
  }
  const runtimes: Runtimes = {
    agent: (image) => find(image, echoAgent),
    function: (image) => find(image, undefined),
    model: (image) => find(image, echoModel),
  }
  const servesImage = (image: string): boolean => {
    const runtime = known.find(image)
    return runtime ? 'url' in runtime : image !== '' && !isEchoImage(image) && inContainer !== undefined
  }
  return { ...runtimes, servesImage, close: outside.close }
}

const Agent = AgentRequest.extend({ messages: z.array(z.unknown()).default([]) })

const Model = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string(), content: z.unknown() })).default([]),
  stream: z.boolean().default(false),
})

const echoAgent: Serve = async ({ body }) => {
  const { inputs, messages } = Agent.parse(await readJson(body))
  return json({
    runtime: echoImage,
    note: 'This agent only echoes.',
    output: inputs,
    remembered: messages.length,
  })
}

const echoModel: Serve = async ({ body }) => {
  const { messages, stream } = Model.parse(await readJson(body))
  const last = messages.at(-1)?.content
  const content = `Echo: ${typeof last === 'string' ? last : JSON.stringify(last ?? '')}`
  return stream ? events(content) : json(completion({ message: { role: 'assistant', content } }))
}

const completion = (choice: object, object = 'chat.completion') => ({
  id: 'echo',
  object,
  created: 0,
  model: echoImage,
  choices: [{ index: 0, finish_reason: 'stop', ...choice }],
})

function events(content: string): WorkloadAnswer {
  const chunks = content
    .split(/(?<= )/)
    .map((word) =>
      completion({ delta: { role: 'assistant', content: word }, finish_reason: null }, 'chat.completion.chunk'),
    )
  const lines = [...chunks, completion({ delta: {} }, 'chat.completion.chunk')].map((each) => JSON.stringify(each))
  const text = [...lines, '[DONE]'].map((line) => `data: ${line}\n\n`)
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: bytesOf(text) }
}

const json = (value: unknown): WorkloadAnswer => ({
  status: 200,
  headers: { 'content-type': 'application/json' },
  body: bytesOf([JSON.stringify(value)]),
})

async function* bytesOf(texts: string[]): Bytes {
  for (const text of texts) yield Buffer.from(text)
}

const maxBodyBytes = 4 * 1024 * 1024

async function readJson(body: Bytes | string | null): Promise<unknown> {
  if (body === null) return {}
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of typeof body === 'string' ? [Buffer.from(body)] : body) {
    size += chunk.length
    if (size > maxBodyBytes) throw new Failure('body_too_large', 'The echo runtime accepts at most 4 MB.')
    chunks.push(chunk)
  }
  try {
    return size === 0 ? {} : JSON.parse(Buffer.concat(chunks).toString())
  } catch {
    throw new Failure('input_invalid', 'The body must be JSON.')
  }
}
