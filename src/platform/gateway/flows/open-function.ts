import { Failure } from '../../shared/domain/failure.ts'
import { overLimit } from '../../shared/domain/limit.ts'
import type { ConnectedFunction, Connection, Workloads } from '../domain/connection.ts'
import { filledProfile, type Integrations } from '../domain/integration.ts'
import { failed, type OfferedTool, type OpenMcp, type ToolResult } from '../domain/mcp.ts'
import { policyFor, type ToolPolicy, type ToolRule } from '../domain/tool-policy.ts'
import type { Arguments } from '../domain/tool-request.ts'
import { beyondTools } from './beyond-tools.ts'
import type { CallTool } from './call-tool.ts'
import { compiledTools } from './compiled-tools.ts'
import type { OpenVendorServer, VendorServer } from './vendor-server.ts'

type Needs = {
  workloads: Pick<Workloads, 'findFunctionWithConnections'>
  integrations: Pick<Integrations, 'get'>
  callTool: CallTool
  vendorServer: OpenVendorServer
  toolRules: readonly ToolRule[]
  /** Counts one call; the seconds to wait when there were too many in this minute. */
  takeCall(key: string, perMinute: number): number | undefined
}

/** `name`: as clients see it. */
type NamedTool = { name: string; tool: OfferedTool; connection: Connection; policy: ToolPolicy }

/** What one connection brings: a vendor's own server, or tools that are requests to its API. */
type Source = { connection: Connection; policy: ToolPolicy; vendor: VendorServer | undefined; tools(): OfferedTool[] }

/** A function with all it can do right now. */
export const openFunction =
  (needs: Needs) =>
  async (workspace: string, name: string): Promise<OpenMcp> => {
    const found = running(await needs.workloads.findFunctionWithConnections(workspace, name))
    const sources = await sourcesOf(needs, found)
    const find = (tool: string) => toolsOf(sources).find((each) => each.name === tool)
    const beyond = beyondTools(sources)
    return {
      id: found.id,
      memoryMb: found.memoryMb,
      name,
      title: found.displayName,
      async listTools() {
        await Promise.all(sources.map(({ vendor }) => vendor?.refresh()))
        return toolsOf(sources).flatMap(({ name, tool }) => (tool.shown ? [{ ...tool.shown, name }] : []))
      },
      ...(beyond && { beyondTools: beyond }),
      isReading: (tool, args) => find(tool)?.tool.isReading(args) ?? false,
      async call(tool, args, exchange) {
        const open = find(tool)
        if (!open) return undefined
        return refusalOf(needs, open, args, found.id) ?? open.tool.call(args, exchange)
      },
    }
  }

/** Nothing has to be started for a function, so one whose deployment is under way takes requests as well. */
function running(found: ConnectedFunction | undefined): ConnectedFunction {
  if (!found) throw new Failure('resource_unknown', 'No function has this name.')
  if (found.status === 'DEPLOYED' || found.status === 'DEPLOYING') return found
  throw new Failure('workload_unavailable', `The function is ${found.status}; its events say why.`)
}

async function sourcesOf(needs: Needs, { id, name, connections }: ConnectedFunction): Promise<Source[]> {
  const sources = connections.map(async (connection, at): Promise<Source[]> => {
    const known = needs.integrations.get(connection.integration)
    if (!known) return []
    const integration = filledProfile(known, connection.config)
    const policy = policyFor(needs.toolRules, connection)
    const position = connections.slice(0, at).filter((other) => other.integration === connection.integration).length
    const of = { functionId: id, functionName: name, integration, connection, position }
    const vendor = await needs.vendorServer(of)
    const tools = vendor ? vendor.tools : () => compiledTools(needs.callTool, of)
    return [{ connection, policy, vendor, tools }]
  })
  return (await Promise.all(sources)).flat()
}

/** What the operator offers of them. Those that are not seen yet change no other's name. */
function toolsOf(sources: readonly Source[]): NamedTool[] {
  const all = sources.flatMap(({ connection, policy, tools }) =>
    tools()
      .filter(({ name, readsOnly }) => policy.isOffered(name, readsOnly))
      .map((tool) => ({ name: tool.name, tool, connection, policy })),
  )
  return [...withUniqueNames(all.filter(({ tool }) => tool.shown)), ...all.filter(({ tool }) => !tool.shown)]
}

/** Returns undefined if the call may go on. */
function refusalOf({ takeCall }: Needs, open: NamedTool, args: Arguments, functionId: string): ToolResult | undefined {
  const { policy, tool, connection } = open
  if (policy.isReadOnly && !tool.isReading(args)) {
    return failed('This deployment allows reading only.', 'tool_not_offered')
  }
  const perMinute = policy.perMinute(tool.name)
  if (perMinute === undefined) return undefined
  const seconds = takeCall(`${functionId}|${connection.id}|${tool.name}`, perMinute)
  if (seconds === undefined) return undefined
  return failed(overLimit(seconds, { count: perMinute, perSeconds: 60 }, 'calls of this tool'), 'rate_limited')
}

/** Two connections may bring a tool of the same name: then, and only then, each carries its connection's name. */
function withUniqueNames(tools: NamedTool[]): NamedTool[] {
  const taken = tools.map(({ name }) => name)
  const isShared = (name: string) => taken.indexOf(name) !== taken.lastIndexOf(name)
  return firstOfEach(
    tools.map((open) => (isShared(open.name) ? { ...open, name: `${open.connection.name}_${open.name}` } : open)),
  )
}

/** A name with its connection's may be another tool's own: what is shown under a name is what is called by it. */
function firstOfEach(tools: NamedTool[]): NamedTool[] {
  const taken = new Set<string>()
  return tools.filter(({ name }) => !taken.has(name) && taken.add(name))
}
