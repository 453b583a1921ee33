import { overLimit } from '../../shared/domain/limit.ts'
import type { ApprovalNeed } from '../domain/approvals/approval.ts'
import { type ConnectedFunction, type Connection, isLinked, type Workloads } from '../domain/connection.ts'
import {
  filledProfile,
  type Integration,
  type Integrations,
  mayDestroy,
  readsOnly,
  type Tool,
} from '../domain/integration.ts'
import { jsonDigest } from '../domain/json-digest.ts'
import { failed, type OfferedTool, type OpenMcp, type ToolResult } from '../domain/mcp.ts'
import { grantGapIn } from '../domain/repair.ts'
import { requestToolDescription, requestToolName, requestTraits } from '../domain/request-tool.ts'
import type { ClientPolicyOf, PolicyOf, ToolPolicy } from '../domain/tool-policy.ts'
import type { Arguments } from '../domain/tool-request.ts'
import type { Exchange } from '../domain/vendor/vendor-mcp.ts'
import { running } from '../domain/workload.ts'
import { withReceipt } from './approvals/with-receipt.ts'
import { beyondTools } from './beyond-tools.ts'
import type { CallTool } from './call-tool.ts'
import { connectedNow, connectToolName, unlinkedTool } from './servers/connect-tool.ts'
import type { OpenVendorServer, VendorServer } from './vendor-server.ts'

type Needs = {
  workloads: Pick<Workloads, 'findFunctionWithConnections'>
  integrations: Pick<Integrations, 'get' | 'current'>
  callTool: CallTool
  vendorServer: OpenVendorServer
  policyOf: PolicyOf
  clientPolicyOf: ClientPolicyOf
  takeCall(key: string, perMinute: number): number | undefined
  /** Whether the image runs here, in a container or at an address. */
  servesImage(image: string): boolean
}

type NamedTool = { name: string; tool: OfferedTool; connection: Connection; policy: ToolPolicy; displayName: string }

type Part = { of: Parameters<OpenVendorServer>[0]; policy: ToolPolicy; compiled: OfferedTool[] }

type Source = { part: Part; vendor: VendorServer | undefined }

/** `client`: the MCP client by whose login the function is used, or empty. */
export const openFunction = (needs: Needs) => {
  const known = new WeakMap<ConnectedFunction, Settled>()
  return async (workspace: string, name: string, client: string): Promise<OpenMcp> => {
    const found = running(await needs.workloads.findFunctionWithConnections(workspace, name), 'function')
    const settings = needs.integrations.current()
    const before = known.get(found)
    const now = before?.settings === settings ? before : { settings, ...settled(needs, found) }
    known.set(found, now)
    const { parts, named } = now
    const sources = await Promise.all(parts.map(async (part) => ({ part, vendor: await vendorOf(needs, part) })))
    const find = (tool: string) => named(sources).get(tool)
    const wasConnectTool = (tool: string) => sources.some((source) => isConnectToolOf(source, tool))
    const beyond = beyondTools(sources)
    /** With the rules for this client, if there are any. Undefined if they do not offer the tool. */
    const narrowed = (open: NamedTool): NamedTool | undefined => {
      const policy = needs.clientPolicyOf({ ...open.connection, client })
      if (!policy) return open
      return isOfferedBy(policy, open.tool) ? { ...open, policy } : undefined
    }
    /** The client's own limit has its own count. Its calls also count towards the limit of all clients. */
    const refused = (open: NamedTool, wide: NamedTool, args: Arguments): ToolResult | undefined =>
      (open === wide ? undefined : refusalOf(needs, open, args, `${found.id}|${client}`)) ??
      refusalOf(needs, wide, args, found.id)
    return {
      id: found.id,
      memoryMb: found.memoryMb,
      name,
      title: found.displayName,
      image: needs.servesImage(found.image ?? '') ? found.image : undefined,
      async listTools(exchange) {
        await Promise.all(sources.map(({ vendor }) => vendor?.refresh(exchange)))
        const offered = [...named(sources).values()].filter((open) => narrowed(open))
        return offered.flatMap(({ name, tool }) => (tool.shown ? [{ ...tool.shown, name }] : []))
      },
      ...(beyond && { beyondTools: beyond }),
      isReading: (tool, args) => find(tool)?.tool.isReading(args) ?? wasConnectTool(tool),
      async call(tool, args, exchange) {
        const wide = find(tool)
        if (!wide) return wasConnectTool(tool) ? connectedNow : undefined
        const open = narrowed(wide)
        const refusal = open && refused(open, wide, args)
        return open && !refusal ? callOpen(open, args, exchange) : refusal
      },
    }
  }
}

/** Without an account the tools of a vendor's server cannot be listed. */
const vendorOf = async ({ vendorServer }: Needs, { of }: Part): Promise<VendorServer | undefined> =>
  isLinked(of.connection) ? vendorServer(of) : undefined

const settled = (needs: Needs, found: ConnectedFunction) => ({ parts: partsOf(needs, found), named: namedTools() })

type Settled = ReturnType<typeof settled> & { settings: object }

function partsOf(needs: Needs, { id, name, connections }: ConnectedFunction): Part[] {
  return connections.flatMap((connection, at) => {
    const known = needs.integrations.get(connection.integration)
    if (!known) return []
    const integration = filledProfile(known, connection.config)
    const position = connections.slice(0, at).filter((other) => other.integration === connection.integration).length
    const of = { functionId: id, functionName: name, integration, connection, position }
    return [{ of, policy: needs.policyOf(connection), compiled: compiledTools(needs.callTool, of) }]
  })
}

/** Also with the prefix that it had beside the same tool of another account. */
const isConnectToolOf = ({ part, vendor }: Source, tool: string): boolean =>
  vendor !== undefined && [connectToolName, prefixed(part.of.connection, connectToolName)].includes(tool)

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
      .filter((tool) => isOfferedBy(policy, tool))
      .map((tool) => ({
        name: tool.name,
        tool,
        connection: of.connection,
        policy,
        displayName: of.integration.displayName,
      })),
  )
  const shown = withUniqueNames(all.filter(({ tool }) => tool.shown))
  return firstOfEach([...shown, ...all.filter(({ tool }) => !tool.shown)])
}

const isOfferedBy = (policy: ToolPolicy, { isOurs, name, readsOnly }: OfferedTool): boolean =>
  isOurs ?? policy.isOffered(name, readsOnly)

async function callOpen(open: NamedTool, args: Arguments, exchange: Exchange): Promise<ToolResult> {
  const call = async () => withGap(await open.tool.call(args, exchange), open)
  const need = needOf(open, args, exchange)
  return need ? withReceipt(need, exchange, call) : call()
}

function needOf(
  { tool, connection, policy, displayName }: NamedTool,
  args: Arguments,
  { continued }: Exchange,
): ApprovalNeed | undefined {
  // A continued call was approved before it began.
  const traits = policy.hasApprovals && !continued ? tool.traits(args) : undefined
  const terms = traits && policy.approval(traits)
  if (!terms) return undefined
  const { name } = tool
  return {
    connection,
    app: displayName,
    tool: name,
    covers: traits.covers ?? name,
    digest: jsonDigest(args),
    shown: { description: tool.shown?.description, arguments: args },
    ...terms,
  }
}

function withGap(result: ToolResult, { connection, displayName }: NamedTool): ToolResult {
  const gap = grantGapIn(result, connection, displayName)
  return gap ? { ...result, gap } : result
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
  return tools.map((open) => (shared.has(open.name) ? { ...open, name: prefixed(open.connection, open.name) } : open))
}

const prefixed = ({ name }: Connection, tool: string): string => `${name}_${tool}`

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
  if (integration.mcpUrl !== undefined) return [unlinkedTool(of)]
  const tools = [...integration.tools, ...(integration.requestTool ? [undefined] : [])]
  return tools.map((tool) => ({
    name: tool?.name ?? requestToolName,
    readsOnly: tool ? readsOnly(tool) : true,
    isReading: (args) => isReading(tool, args),
    traits: tool ? always(traitsOf(tool)) : (args) => requestTraits(args, integration),
    shown: tool ? describe(tool) : requestToolDescription(integration),
    call: (args, { signal }) => callTool({ ...of, tool }, args, signal),
  }))
}

const always =
  <T>(value: T) =>
  (): T =>
    value

const traitsOf = (tool: Tool) => ({
  tool: tool.name,
  effect: readsOnly(tool) ? ('reads' as const) : mayDestroy(tool) ? ('destroys' as const) : ('writes' as const),
  method: tool.request.method,
})

const describe = (tool: Tool) => ({
  description: tool.description,
  inputSchema: tool.inputSchema,
  annotations: { readOnlyHint: readsOnly(tool), destructiveHint: mayDestroy(tool) },
})

const isReading = (tool: Tool | undefined, args: Arguments): boolean =>
  tool ? readsOnly(tool) : (args.method ?? 'GET') === 'GET'
