import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server'
import type { ToolErrorMeta } from '../../../contract/gateway/tool-result.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { toFailure } from '../../shared/http/to-failure.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import type { ToolContent } from '../domain/tool-content.ts'

/**
 * The library checks with it what users filled into forms, which servers here never show; its own one compiles
 * schemas and takes longer to make than a request to answer. The arguments of tools are checked where they are called.
 */
const noForms = {
  getValidator: () => () => ({ valid: false as const, data: undefined, errorMessage: 'There are no forms here.' }),
}

/** The protocol's own server for what is open; it lives as long as one request. */
export function mcpServer({ name, title, tools, call }: OpenMcp, log: Log<'tool.failed'>): Server {
  const server = new Server(
    { name, title, version: '1.0.0' },
    { capabilities: { tools: {} }, jsonSchemaValidator: noForms },
  )
  server.setRequestHandler('tools/list', () => ({ tools }))
  server.setRequestHandler('tools/call', async ({ params }, { mcpReq: { signal } }) => {
    const result = await call(params.name, params.arguments ?? {}, signal).catch((error) => {
      throw hiddenError(error, log)
    })
    if (!result) throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no tool ${params.name}.`)
    const meta: { _meta?: ToolErrorMeta } = result.code ? { _meta: { code: result.code } } : {}
    return { content: [contentBlock(result.content)], isError: result.isError, ...meta }
  })
  return server
}

function contentBlock(content: ToolContent) {
  if (content.kind === 'text') return { type: 'text' as const, text: content.text }
  const { kind, mimeType, uri, bytes } = content
  const data = bytes.toString('base64')
  if (kind === 'resource') return { type: kind, resource: { uri, mimeType, blob: data } }
  return { type: kind, data, mimeType }
}

/** The library passes on the message of whatever is thrown; that of a store or of a bug is nobody's business. */
function hiddenError(error: unknown, log: Log<'tool.failed'>): ProtocolError {
  const { detail, cause = error } = toFailure(error)
  log('tool.failed', { code: describeError(cause) })
  return new ProtocolError(ProtocolErrorCode.InternalError, detail)
}
