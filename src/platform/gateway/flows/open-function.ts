import { Failure } from '../../shared/domain/failure.ts'
import type { Connection, McpFunction, Workloads } from '../domain/connection.ts'
import { filledProfile, type Integrations, type Tool } from '../domain/integration.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import { requestToolDescription, requestToolName } from '../domain/request-tool.ts'
import type { Arguments } from '../domain/tool-request.ts'
import type { CallTool, OpenTool } from './call-tool.ts'

type Needs = {
  workloads: Pick<Workloads, 'findFunction' | 'findConnection'>
  integrations: Pick<Integrations, 'get'>
  callTool: CallTool
}

type NamedTool = OpenTool & { name: string }

/** A function with all it can do right now. */
export const openFunction =
  ({ workloads, integrations, callTool }: Needs) =>
  async (workspace: string, name: string): Promise<OpenMcp> => {
    const found = running(await workloads.findFunction(workspace, name))
    const connections = await Promise.all(found.connections.map((inner) => workloads.findConnection(workspace, inner)))
    const tools = withUniqueNames(
      connections.flatMap((connection) => (connection ? toolsOf(name, connection, integrations) : [])),
    )
    return {
      id: found.id,
      memoryMb: found.memoryMb,
      name,
      title: found.displayName,
      tools: tools.map((each) => ({ name: each.name, ...describe(each) })),
      isReading(tool, args) {
        const open = tools.find((each) => each.name === tool)
        return open !== undefined && isReading(open, args)
      },
      async call(tool, args, signal) {
        const open = tools.find((each) => each.name === tool)
        return open && callTool(open, args, signal)
      },
    }
  }

/** Nothing has to be started for a function, so one whose deployment is under way takes requests as well. */
function running(found: McpFunction | undefined): McpFunction {
  if (!found) throw new Failure('resource_unknown', 'No function has this name.')
  if (found.status === 'DEPLOYED' || found.status === 'DEPLOYING') return found
  throw new Failure('workload_unavailable', `The function is ${found.status}; its events say why.`)
}

function toolsOf(functionName: string, connection: Connection, integrations: Needs['integrations']): NamedTool[] {
  const known = integrations.get(connection.integration)
  if (!known) return []
  const integration = filledProfile(known, connection.config)
  const own = integration.tools.map((tool) => ({ name: tool.name, tool, functionName, integration, connection }))
  if (!integration.requestTool) return own
  return [...own, { name: requestToolName, tool: undefined, functionName, integration, connection }]
}

function describe({ tool, integration }: OpenTool) {
  if (!tool) return requestToolDescription(integration)
  const annotations = { readOnlyHint: readsOnly(tool) }
  return { description: tool.description, inputSchema: tool.inputSchema, annotations }
}

const readsOnly = ({ readOnly, request }: Tool): boolean => readOnly ?? request.method === 'GET'

/** The tool for any request says itself by which method; what it cannot mean is refused where it is called. */
const isReading = ({ tool }: OpenTool, args: Arguments): boolean =>
  tool ? readsOnly(tool) : (args.method ?? 'GET') === 'GET'

/** Two connections may bring a tool of the same name: then, and only then, each carries its connection's name. */
function withUniqueNames(tools: NamedTool[]): NamedTool[] {
  const taken = tools.map(({ name }) => name)
  const isShared = (name: string) => taken.indexOf(name) !== taken.lastIndexOf(name)
  return tools.map((open) => (isShared(open.name) ? { ...open, name: `${open.connection.name}_${open.name}` } : open))
}
