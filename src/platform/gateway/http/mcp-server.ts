import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  LOG_LEVEL_META_KEY,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { ToolErrorMeta } from '../../../contract/gateway/tool-result.ts'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { toFailure } from '../../shared/http/to-failure.ts'
import { type Client, declaredBy } from '../domain/clients/declared.ts'
import type { InputRequest } from '../domain/clients/inputs.ts'
import { McpFailure, type OpenMcp, type ToolResult } from '../domain/mcp.ts'
import type { RequiredInput } from '../domain/repair.ts'
import type { ToolContent } from '../domain/tool-content.ts'
import type { Arguments } from '../domain/tool-request.ts'
import { type Exchange, forwardedMethods, type JsonObject } from '../domain/vendor/vendor-mcp.ts'
import { withCard } from './page-card.ts'

/** For form input, which we never request. The library's default takes longer to create than a request. */
const noForms = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'Forms are not supported.' }),
}

type Shown = { session?: Client | undefined; cards?: boolean }

export function mcpServer(opened: OpenMcp, log: Log<'tool.failed'>, { session, cards = false }: Shown = {}): Server {
  const mcp = cards ? withCard(opened) : opened
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
    tools: await safely(mcp.listTools(exchangeOf(context, server, session))),
  }))
  server.setRequestHandler('tools/call', ({ params }, context) =>
    callTool({ mcp, log }, params, exchangeOf(context, server, session)),
  )
  if (beyondTools) forwardTo(server, beyondTools, safely, session)
  return server
}

type Call = { name: string; arguments?: Arguments | undefined }

/** Errors that it throws are safe to show to clients. */
export async function callTool(
  { mcp, log }: { mcp: OpenMcp; log: Log<'tool.failed'> },
  call: Call,
  exchange: Exchange,
) {
  const result = await showingErrors(log)(mcp.call(call.name, call.arguments ?? {}, exchange))
  if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `Unknown tool: ${call.name}.`)
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
  session: Client | undefined,
): void {
  for (const method of forwardedMethods) {
    if (!capabilities.some((capability) => methodsOf[capability]?.test(method))) continue
    server.setRequestHandler(method, ({ params = {} }, context) => {
      const { _meta, ...asked } = params as Record<string, unknown>
      return safely(ask(method, asked, exchangeOf(context, server, session))) as never
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
  const { code, scope, repairUrl, approvalUrl, input } = result
  if (input) return requiredInput(input)
  const meta: { _meta?: ToolErrorMeta } = code
    ? { _meta: { code, ...(scope && { scope }), ...(repairUrl && { repairUrl }), ...(approvalUrl && { approvalUrl }) } }
    : {}
  if ('forwarded' in result) return forwarded(result.forwarded)
  return { content: [contentBlock(result.content)], isError: result.isError, ...meta }
}

const requiredInput = ({ state, requests }: RequiredInput) =>
  inputRequired({ requestState: state, ...(requests && { inputRequests: requests as never }) })

/** Removes the vendor's `code`: these codes are the platform's, and programs act on them. */
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

/** The response comes with another request, at any process, so the library must not wait for it. */
const sendOn =
  (server: Server, relatedRequestId: ServerContext['mcpReq']['id']) =>
  async (id: string, { method, params }: InputRequest): Promise<void> =>
    server.transport?.send({ jsonrpc: '2.0', id, method, params }, { relatedRequestId })

/** The library shows the message of any error; those of a store or a bug must not reach clients. */
function shownError(error: unknown, log: Log<'tool.failed'>): ProtocolError {
  if (error instanceof McpFailure) {
    return new ProtocolError(error.code ?? ProtocolErrorCode.InternalError, error.message, error.data ?? error.reason)
  }
  const { detail, cause = error } = toFailure(error)
  log('tool.failed', { code: describeError(cause) })
  return new ProtocolError(ProtocolErrorCode.InternalError, detail)
}

function exchangeOf({ mcpReq }: ServerContext, server: Server, session: Client | undefined): Exchange {
  const { signal, _meta: { progressToken, ...meta } = {} } = mcpReq
  const envelope = mcpReq.envelope as JsonObject | undefined
  const logLevel = envelope?.[LOG_LEVEL_META_KEY]
  const state = mcpReq.requestState<string>()
  const tell = (method: string, params: JsonObject) =>
    void mcpReq.notify({ method, params } as never).catch(ignoreError('the client has left'))
  const log = ({ level, data, logger }: JsonObject) =>
    logLevel === undefined
      ? tell('notifications/message', { level, data, logger })
      : void mcpReq.log(level as never, data, logger as string | undefined).catch(ignoreError('the client has left'))
  return {
    signal,
    session: session?.session,
    meta,
    client: session ?? { declares: declaredBy(envelope?.[CLIENT_CAPABILITIES_META_KEY]), session: undefined },
    ...(session && { send: sendOn(server, mcpReq.id) }),
    ...(state !== undefined && { repeated: { state, responses: mcpReq.inputResponses ?? {} } }),
    logLevel: logLevel === undefined ? undefined : String(logLevel),
    ...(progressToken !== undefined && {
      onProgress: (progress) => tell('notifications/progress', { ...progress, progressToken }),
    }),
    // In the newer protocol a request must ask for the log; in the older one the session has the level.
    ...((logLevel !== undefined || session !== undefined) && { onLog: log }),
  }
}
