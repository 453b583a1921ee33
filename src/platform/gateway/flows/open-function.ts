import { overLimit } from '../../shared/domain/limit.ts'
import type { ConnectedFunction, Connection, Workloads } from '../domain/connection.ts'
import {
  filledProfile,
  type Integration,
  type Integrations,
  mayDestroy,
  readsOnly,
  type Tool,
} from '../domain/integration.ts'
import { failed, type OfferedTool, type OpenMcp, type ToolResult } from '../domain/mcp.ts'
import { requestToolDescription, requestToolName } from '../domain/request-tool.ts'
import { policyFor, type ToolPolicy, type ToolRule } from '../domain/tool-policy.ts'
import type { Arguments } from '../domain/tool-request.ts'
import { running } from '../domain/workload.ts'
import { beyondTools } from './beyond-tools.ts'
import type { CallTool } from './call-tool.ts'
import type { OpenVendorServer, VendorServer } from './vendor-server.ts'

type Needs = {
  workloads: Pick<Workloads, 'findFunctionWithConnections'>
  integrations: Pick<Integrations, 'get'>
  callTool: CallTool
  vendorServer: OpenVendorServer
  toolRules: readonly ToolRule[]
  takeCall(key: string, perMinute: number): number | undefined
}

type NamedTool = { name: string; tool: OfferedTool; connection: Connection; policy: ToolPolicy }

type Part = { of: Parameters<OpenVendorServer>[0]; policy: ToolPolicy; compiled: OfferedTool[] }

type Source = { part: Part; vendor: VendorServer | undefined }

export const openFunction = (needs: Needs) => {
  const known = new WeakMap<ConnectedFunction, ReturnType<typeof settled>>()
  return async (workspace: string, name: string): Promise<OpenMcp> => {
    const found = running(await needs.workloads.findFunctionWithConnections(workspace, name), 'function')
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

/** Names are cached per tool list: a vendor may have a thousand tools. */
function namedTools() {
  let last: { tools: OfferedTool[][]; byName: ReadonlyMap<string, NamedTool> } | undefined
  return (sources: readonly Source[]): ReadonlyMap<string, NamedTool> => {
    const tools = sources.map(toolsOf)
    if (!last?.tools.every((each, at) => each === tools[at])) last = { tools, byName: byName(sources, tools) }
    return last.byName
  }
}

/** Only offered tools. Tools that wait for approval don't affect other names. */
function byName(sources: readonly Source[], tools: OfferedTool[][]): ReadonlyMap<string, NamedTool> {
  const all = sources.flatMap(({ part: { of, policy } }, at) =>
    (tools[at] ?? [])
      .filter(({ name, readsOnly }) => policy.isOffered(name, readsOnly))
      .map((tool) => ({ name: tool.name, tool, connection: of.connection, policy })),
  )
  const shown = withUniqueNames(all.filter(({ tool }) => tool.shown))
  return firstOfEach([...shown, ...all.filter(({ tool }) => !tool.shown)])
}

function refusalOf({ takeCall }: Needs, open: NamedTool, args: Arguments, functionId: string): ToolResult | undefined {
  const { policy, tool, connection } = open
  if (policy.isReadOnly && !tool.isReading(args)) {
    return failed('This deployment allows only tools that read.', 'tool_not_offered')
  }
  const perMinute = policy.perMinute(tool.name)
  if (perMinute === undefined) return undefined
  const seconds = takeCall(`${functionId}|${connection.id}|${tool.name}`, perMinute)
  if (seconds === undefined) return undefined
  return failed(overLimit(seconds, { count: perMinute, perSeconds: 60 }, 'calls of this tool'), 'rate_limited')
}

/** Prefixes a tool with its connection's name only if two connections have a tool of that name. */
function withUniqueNames(tools: NamedTool[]): NamedTool[] {
  const lastWith = new Map(tools.map((open, at) => [open.name, at]))
  const shared = new Set(tools.flatMap(({ name }, at) => (lastWith.get(name) === at ? [] : name)))
  return tools.map((open) => (shared.has(open.name) ? { ...open, name: `${open.connection.name}_${open.name}` } : open))
}

/** A prefixed name may equal another tool's name; the first one is shown and called. */
function firstOfEach(tools: NamedTool[]): ReadonlyMap<string, NamedTool> {
  const named = new Map<string, NamedTool>()
  for (const tool of tools) if (!named.has(tool.name)) named.set(tool.name, tool)
  return named
}

type Of = { functionName: string; integration: Integration; connection: Connection }

/** The request tool counts as reading here because each call is checked by its method. */
function compiledTools(callTool: CallTool, of: Of): OfferedTool[] {
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

const isReading = (tool: Tool | undefined, args: Arguments): boolean =>
  tool ? readsOnly(tool) : (args.method ?? 'GET') === 'GET'
