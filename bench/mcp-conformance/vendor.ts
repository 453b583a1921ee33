// A vendor's MCP server on the official SDK with everything that the conformance runner expects beyond tools. The runner
// then tests what a function forwards.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { createMcpHandler, ProtocolError, Server, type ServerContext } from '@modelcontextprotocol/server'
import { sendWebResponse, webRequest } from '../../src/platform/gateway/http/web-exchange.ts'
import { askingTools } from './asking-tools.ts'
import { dialectSchema } from './dialect-schema.ts'

export async function startVendor() {
  const handler = createMcpHandler(() => vendor())
  const server = createServer(async (req, res) => {
    let body = ''
    for await (const piece of req) body += piece
    const leaving = new AbortController()
    res.once('close', () => leaving.abort())
    const parsedBody = body === '' ? undefined : JSON.parse(body)
    await sendWebResponse(await handler.fetch(webRequest(req, leaving.signal), { parsedBody }), res)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, close }
}

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64')
const wav = Buffer.from('52494646240000005741564566', 'hex').toString('base64')

const text = (words: string) => ({ type: 'text' as const, text: words })
const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const embedded = (uri: string) => ({
  type: 'resource' as const,
  resource: { uri, mimeType: 'text/plain', text: 'A resource in the middle of something else.' },
})

type Result = { content: object[]; isError?: boolean }
type Call = (context: ServerContext, args: Record<string, unknown>) => Result | Promise<Result>

const calls: Record<string, Call> = {
  ...askingTools,
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({ content: [{ type: 'audio', data: wav, mimeType: 'audio/wav' }] }),
  test_embedded_resource: () => ({ content: [embedded('test://embedded-resource')] }),
  test_multiple_content_types: () => ({
    content: [text('Several:'), image, embedded('test://mixed-content-resource')],
  }),
  test_error_handling: () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }),
  json_schema_2020_12_tool: () => ({ content: [text('Has a schema.')] }),
  test_tool_with_logging: ({ mcpReq }) => logging(mcpReq),
  test_logging_tool: ({ mcpReq }) => logging(mcpReq),
  async test_tool_with_progress({ mcpReq: { _meta, notify } }) {
    const progressToken = _meta?.progressToken
    for (const progress of [0, 50, 100]) {
      if (progressToken !== undefined)
        await notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await pause(50)
    }
    return { content: [text('Progressed.')] }
  },
}

async function logging(mcpReq: ServerContext['mcpReq']): Promise<Result> {
  for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
    await mcpReq.log('info', words)
    await pause(50)
  }
  return { content: [text('Logged.')] }
}

type Messages = { messages: { role: 'user'; content: object }[] }

const prompts: Record<string, (args: Record<string, string>) => Messages> = {
  test_simple_prompt: () => asked(text('This is a simple prompt for testing.')),
  test_prompt_with_arguments: ({ arg1, arg2 }) => asked(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  test_prompt_with_embedded_resource: ({ resourceUri = '' }) => asked(embedded(resourceUri), text('Please read it.')),
  test_prompt_with_image: () => asked(image, text('Please look at it.')),
}

const asked = (...contents: object[]): Messages => ({
  messages: contents.map((content) => ({ role: 'user', content })),
})

const promptArguments: Record<string, string[]> = {
  test_prompt_with_arguments: ['arg1', 'arg2'],
  test_prompt_with_embedded_resource: ['resourceUri'],
}

const resources: Record<string, object> = {
  'test://static-text': { mimeType: 'text/plain', text: 'This is the content of the static text resource.' },
  'test://static-binary': { mimeType: 'image/png', blob: png },
}

function contentAt(uri: string): object {
  const known = resources[uri]
  if (known) return { uri, ...known }
  const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1]
  if (id === undefined) throw new ProtocolError(-32_602, 'Resource not found', { uri })
  return { uri, mimeType: 'application/json', text: JSON.stringify({ id, templateTest: true }) }
}

function vendor(): Server {
  const capabilities = { tools: {}, prompts: {}, resources: {}, completions: {}, logging: {} }
  const server = new Server({ name: 'vendor', version: '1.0.0' }, { capabilities })
  server.setRequestHandler('tools/list', () => ({
    tools: Object.keys(calls).map((name) => ({
      name,
      description: `For the scenario of ${name}.`,
      inputSchema: (name === 'json_schema_2020_12_tool' ? dialectSchema : { type: 'object' }) as { type: 'object' },
    })),
  }))
  server.setRequestHandler('tools/call', ({ params: { name, arguments: args = {} } }, context) => {
    const call = calls[name]
    if (!call) throw new ProtocolError(-32_602, `Unknown tool: ${name}`)
    return call(context, args) as Promise<{ content: [] }>
  })
  server.setRequestHandler('prompts/list', () => ({
    prompts: Object.keys(prompts).map((name) => ({
      name,
      description: `For the scenario of ${name}.`,
      arguments: (promptArguments[name] ?? []).map((each) => ({ name: each, required: true })),
    })),
  }))
  server.setRequestHandler('prompts/get', ({ params }) => {
    const prompt = prompts[params.name]
    if (!prompt) throw new ProtocolError(-32_602, `Unknown prompt: ${params.name}`)
    return prompt(params.arguments ?? {}) as { messages: [] }
  })
  server.setRequestHandler('resources/list', () => ({
    resources: Object.keys(resources).map((uri) => ({
      uri,
      name: uri,
      description: 'For the scenarios of resources.',
    })),
  }))
  server.setRequestHandler('resources/templates/list', () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
  }))
  server.setRequestHandler('resources/read', ({ params: { uri } }) => ({ contents: [contentAt(uri) as never] }))
  server.setRequestHandler('completion/complete', () => ({ completion: { values: ['paris', 'park'], hasMore: false } }))
  return server
}
