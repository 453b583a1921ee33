import { Failure } from '../../shared/domain/failure.ts'
import type { Connection, McpFunction, Workloads } from '../domain/connection.ts'
import { filledProfile, type Integrations, mayDestroy, readsOnly } from '../domain/integration.ts'
import { failed, type OpenMcp, type ToolResult } from '../domain/mcp.ts'
import { requestToolDescription, requestToolName } from '../domain/request-tool.ts'
import { policyFor, type ToolPolicy, type ToolRule } from '../domain/tool-policy.ts'
import type { Arguments } from '../domain/tool-request.ts'
import type { CallTool, OpenTool } from './call-tool.ts'

type Needs = {
  workloads: Pick<Workloads, 'findFunction' | 'findConnection'>
  integrations: Pick<Integrations, 'get'>
  callTool: CallTool
  toolRules: readonly ToolRule[]
  /** Counts one call; the seconds to wait when there were too many in this minute. */
  takeCall(key: string, perMinute: number): number | undefined
}

type NamedTool = OpenTool & { name: string; policy: ToolPolicy }

/** A function with all it can do right now. */
export const openFunction =
  (needs: Needs) =>
  async (workspace: string, name: string): Promise<OpenMcp> => {
    const { workloads } = needs
    const found = running(await workloads.findFunction(workspace, name))
    const connections = await Promise.all(found.connections.map((inner) => workloads.findConnection(workspace, inner)))
    const tools = withUniqueNames(
      connections.flatMap((connection) => (connection ? toolsOf(needs, name, connection) : [])),
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
        if (!open) return undefined
        return refusalOf(needs, open, args, found.id) ?? needs.callTool(open, args, signal)
      },
    }
  }

/** Nothing has to be started for a function, so one whose deployment is under way takes requests as well. */
function running(found: McpFunction | undefined): McpFunction {
  if (!found) throw new Failure('resource_unknown', 'No function has this name.')
  if (found.status === 'DEPLOYED' || found.status === 'DEPLOYING') return found
  throw new Failure('workload_unavailable', `The function is ${found.status}; its events say why.`)
}

/** What the operator offers of them. The tool for any request can read, so it is judged by what it is asked for. */
function toolsOf({ integrations, toolRules }: Needs, functionName: string, connection: Connection): NamedTool[] {
  const known = integrations.get(connection.integration)
  if (!known) return []
  const integration = filledProfile(known, connection.config)
  const policy = policyFor(toolRules, connection)
  const common = { functionName, integration, connection, policy }
  const own = integration.tools.map((tool) => ({ name: tool.name, tool, ...common }))
  const free = integration.requestTool ? [{ name: requestToolName, tool: undefined, ...common }] : []
  return [...own, ...free].filter(({ name, tool }) => policy.isOffered(name, tool ? readsOnly(tool) : true))
}

/** Returns undefined if the call may go on. */
function refusalOf({ takeCall }: Needs, open: NamedTool, args: Arguments, functionId: string): ToolResult | undefined {
  const { policy, tool } = open
  if (policy.isReadOnly && !isReading(open, args)) {
    return failed('This deployment allows reading only.', 'tool_not_offered')
  }
  const own = tool?.name ?? requestToolName
  const perMinute = policy.perMinute(own)
  const seconds =
    perMinute === undefined ? undefined : takeCall(`${functionId}|${open.connection.id}|${own}`, perMinute)
  if (seconds === undefined) return undefined
  return failed(`This tool was called too often. Try again in ${seconds} seconds.`, 'rate_limited')
}

function describe({ tool, integration }: OpenTool) {
  if (!tool) return requestToolDescription(integration)
  const annotations = { readOnlyHint: readsOnly(tool), destructiveHint: mayDestroy(tool) }
  return { description: tool.description, inputSchema: tool.inputSchema, annotations }
}

/** The tool for any request says itself by which method; what it cannot mean is refused where it is called. */
const isReading = ({ tool }: OpenTool, args: Arguments): boolean =>
  tool ? readsOnly(tool) : (args.method ?? 'GET') === 'GET'

/** Two connections may bring a tool of the same name: then, and only then, each carries its connection's name. */
function withUniqueNames(tools: NamedTool[]): NamedTool[] {
  const taken = tools.map(({ name }) => name)
  const isShared = (name: string) => taken.indexOf(name) !== taken.lastIndexOf(name)
  return tools.map((open) => (isShared(open.name) ? { ...open, name: `${open.connection.name}_${open.name}` } : open))
}
