// Tools that are requests to a third party's API, as the integration's profile has them.
import type { Connection } from '../domain/connection.ts'
import { type Integration, mayDestroy, readsOnly, type Tool } from '../domain/integration.ts'
import type { OfferedTool } from '../domain/mcp.ts'
import { requestToolDescription, requestToolName } from '../domain/request-tool.ts'
import type { Arguments } from '../domain/tool-request.ts'
import type { CallTool } from './call-tool.ts'

type Of = { functionName: string; integration: Integration; connection: Connection }

/** The tool for any request can read, so it is judged by what it is asked for. */
export function compiledTools(callTool: CallTool, of: Of): OfferedTool[] {
  const { integration } = of
  const tools = [...integration.tools, ...(integration.requestTool ? [undefined] : [])]
  return tools.map((tool) => ({
    name: tool?.name ?? requestToolName,
    readsOnly: tool ? readsOnly(tool) : true,
    isReading: (args) => isReading(tool, args),
    shown: tool ? describe(tool) : requestToolDescription(integration),
    call: (args, { signal }) => callTool({ ...of, tool }, args, signal),
  }))
}

const describe = (tool: Tool) => ({
  description: tool.description,
  inputSchema: tool.inputSchema,
  annotations: { readOnlyHint: readsOnly(tool), destructiveHint: mayDestroy(tool) },
})

/** The tool for any request says itself by which method; what it cannot mean is refused where it is called. */
const isReading = (tool: Tool | undefined, args: Arguments): boolean =>
  tool ? readsOnly(tool) : (args.method ?? 'GET') === 'GET'
