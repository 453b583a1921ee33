import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { ToolErrorMeta } from '../../../contract/gateway/tool-result.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { toFailure } from '../../shared/http/to-failure.ts'
import { McpFailure, type OpenMcp, type ToolResult } from '../domain/mcp.ts'
import type { ToolContent } from '../domain/tool-content.ts'
import type { Arguments } from '../domain/tool-request.ts'
import { type Exchange, forwardedMethods, type JsonObject } from '../domain/vendor/vendor-mcp.ts'
import { exchangeOf } from './mcp-exchange.ts'

/**
 * The library checks with it what users filled into forms, which servers here never show; its own one compiles
 * schemas and takes longer to make than a request to answer. The arguments of tools are checked where they are called.
 */
const noForms = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'There are no forms here.' }),
}

/** The protocol's own server for what is open; it lives as long as one request. */
export function mcpServer(mcp: OpenMcp, log: Log<'tool.failed'>, session?: string): Server {
  const { name, title, beyondTools } = mcp
  const capabilities = { tools: {}, ...Object.fromEntries((beyondTools?.capabilities ?? []).map((each) => [each, {}])) }
  const server = new Server(
    { name, title, version: '1.0.0' },
    {
      capabilities,
      jsonSchemaValidator: noForms,
      ...(beyondTools?.instructions && { instructions: beyondTools.instructions }),
    },
  )
  const safely = showingErrors(log)
  server.setRequestHandler('tools/list', async (_, context) => ({
    tools: await safely(mcp.listTools(exchangeOf(context, session))),
  }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    callTool({ mcp, log }, params, exchangeOf(context, session)),
  )
  if (beyondTools) forwardTo(server, beyondTools, safely, session)
  return server
}

type Call = { name: string; arguments?: Arguments | undefined }

/** The result as clients read it; whatever is thrown may be told to them. */
export async function callTool(
  { mcp, log }: { mcp: OpenMcp; log: Log<'tool.failed'> },
  call: Call,
  exchange: Exchange,
) {
  const result = await showingErrors(log)(mcp.call(call.name, call.arguments ?? {}, exchange))
  if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${call.name}.`)
  return toCallResult(result)
}

const showingErrors =
  (log: Log<'tool.failed'>) =>
  <T>(work: Promise<T>): Promise<T> =>
    work.catch((error) => {
      throw shownError(error, log)
    })

type BeyondTools = NonNullable<OpenMcp['beyondTools']>

function forwardTo(
  server: Server,
  { capabilities, ask }: BeyondTools,
  safely: <T>(work: Promise<T>) => Promise<T>,
  session: string | undefined,
): void {
  for (const method of forwardedMethods) {
    if (!capabilities.some((capability) => methodsOf[capability]?.test(method))) continue
    server.setRequestHandler(method, ({ params = {} }, context) => {
      const { _meta, ...asked } = params as Record<string, unknown>
      // What it answers is the vendor's, in the shape of the protocol that the library holds it against.
      return safely(ask(method, asked, exchangeOf(context, session))) as never
    })
  }
}

const methodsOf: Partial<Record<string, RegExp>> = {
  prompts: /^prompts\//,
  resources: /^resources\//,
  completions: /^completion\//,
  logging: /^logging\//,
}

function toCallResult(result: ToolResult) {
  const { code, scope } = result
  const meta: { _meta?: ToolErrorMeta } = code ? { _meta: { code, ...(scope && { scope }) } } : {}
  if ('forwarded' in result) return forwarded(result.forwarded)
  return { content: [contentBlock(result.content)], isError: result.isError, ...meta }
}

/** Codes of failures are the platform's own: programs act on them. The library holds the rest against the protocol. */
function forwarded({ _meta, ...result }: JsonObject) {
  const { code: _, ...meta } = (_meta ?? {}) as JsonObject
  return { ...result, ...(Object.keys(meta).length > 0 && { _meta: meta }) } as { content: [] }
}

function contentBlock(content: ToolContent) {
  if (content.kind === 'text') return { type: 'text' as const, text: content.text }
  const { kind, mimeType, uri, bytes } = content
  const data = bytes.toString('base64')
  if (kind === 'resource') return { type: kind, resource: { uri, mimeType, blob: data } }
  return { type: kind, data, mimeType }
}

/** The library passes on the message of whatever is thrown; that of a store or a bug must not reach clients. */
export function shownError(error: unknown, log: Log<'tool.failed'>): ProtocolError {
  if (error instanceof McpFailure) {
    return new ProtocolError(error.code ?? ProtocolErrorCode.InternalError, error.message, error.reason)
  }
  const { detail, cause = error } = toFailure(error)
  log('tool.failed', { code: describeError(cause) })
  return new ProtocolError(ProtocolErrorCode.InternalError, detail)
}
