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

/** A connection of a function with what was settled for it. `compiled`: tools that are requests to its API. */
type Part = { of: Parameters<OpenVendorServer>[0]; policy: ToolPolicy; compiled: OfferedTool[] }

/** What one connection brings right now: a vendor's own server, or tools that are requests to its API. */
type Source = { part: Part; vendor: VendorServer | undefined }

/** A function with all it can do right now. */
export const openFunction = (needs: Needs) => {
  const known = new WeakMap<ConnectedFunction, ReturnType<typeof settled>>()
  return async (workspace: string, name: string): Promise<OpenMcp> => {
    const found = running(await needs.workloads.findFunctionWithConnections(workspace, name))
    const { parts, named } = known.get(found) ?? settled(needs, found)
    known.set(found, { parts, named })
    const sources = await Promise.all(parts.map(async (part) => ({ part, vendor: await needs.vendorServer(part.of) })))
    const find = (tool: string) => named(sources).get(tool)
    const beyond = beyondTools(sources)
    return {
      id: found.id,
      memoryMb: found.memoryMb,
      name,
      title: found.displayName,
      async listTools() {
        await Promise.all(sources.map(({ vendor }) => vendor?.refresh()))
        return [...named(sources).values()].flatMap(({ name, tool }) => (tool.shown ? [{ ...tool.shown, name }] : []))
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
}

/** Nothing has to be started for a function, so one whose deployment is under way takes requests as well. */
function running(found: ConnectedFunction | undefined): ConnectedFunction {
  if (!found) throw new Failure('resource_unknown', 'No function has this name.')
  if (found.status === 'DEPLOYED' || found.status === 'DEPLOYING') return found
  throw new Failure('workload_unavailable', `The function is ${found.status}; its events say why.`)
}

/** What is the same for every request, for as long as the function and its connections are. */
const settled = (needs: Needs, found: ConnectedFunction) => ({ parts: partsOf(needs, found), named: namedTools() })

function partsOf(needs: Needs, { id, name, connections }: ConnectedFunction): Part[] {
  return connections.flatMap((connection, at) => {
    const known = needs.integrations.get(connection.integration)
    if (!known) return []
    const integration = filledProfile(known, connection.config)
    const position = connections.slice(0, at).filter((other) => other.integration === connection.integration).length
    const of = { functionId: id, functionName: name, integration, connection, position }
    return [{ of, policy: policyFor(needs.toolRules, connection), compiled: compiledTools(needs.callTool, of) }]
  })
}

const toolsOf = ({ part, vendor }: Source): OfferedTool[] => (vendor ? vendor.tools() : part.compiled)

/** Of the same tools the same names: a vendor may have a thousand, and one of them is called. */
function namedTools() {
  let last: { tools: OfferedTool[][]; byName: ReadonlyMap<string, NamedTool> } | undefined
  return (sources: readonly Source[]): ReadonlyMap<string, NamedTool> => {
    const tools = sources.map(toolsOf)
    if (!last?.tools.every((each, at) => each === tools[at])) last = { tools, byName: byName(sources, tools) }
    return last.byName
  }
}

/** What the operator offers of them. Those that are not seen yet change no other's name. */
function byName(sources: readonly Source[], tools: OfferedTool[][]): ReadonlyMap<string, NamedTool> {
  const all = sources.flatMap(({ part: { of, policy } }, at) =>
    (tools[at] ?? [])
      .filter(({ name, readsOnly }) => policy.isOffered(name, readsOnly))
      .map((tool) => ({ name: tool.name, tool, connection: of.connection, policy })),
  )
  const shown = withUniqueNames(all.filter(({ tool }) => tool.shown))
  return firstOfEach([...shown, ...all.filter(({ tool }) => !tool.shown)])
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
  const lastWith = new Map(tools.map((open, at) => [open.name, at]))
  const shared = new Set(tools.flatMap(({ name }, at) => (lastWith.get(name) === at ? [] : name)))
  return tools.map((open) => (shared.has(open.name) ? { ...open, name: `${open.connection.name}_${open.name}` } : open))
}

/** A name with its connection's may be another tool's own: what is shown under a name is what is called by it. */
function firstOfEach(tools: NamedTool[]): ReadonlyMap<string, NamedTool> {
  const named = new Map<string, NamedTool>()
  for (const tool of tools) if (!named.has(tool.name)) named.set(tool.name, tool)
  return named
}
