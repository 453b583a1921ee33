// Tools of a vendor's own MCP server: those that were approved, and those that wait for it.
import type { Connection } from '../domain/connection.ts'
import type { Integration } from '../domain/integration.ts'
import { failed, type McpTool, type OfferedTool, type ToolResult } from '../domain/mcp.ts'
import { toolFailure } from '../domain/tool-failure.ts'
import type { Arguments } from '../domain/tool-request.ts'
import { heldTools, type ToolList } from '../domain/vendor/tool-list.ts'
import type { Exchange, VendorMcp, VendorTarget, VendorTool } from '../domain/vendor/vendor-mcp.ts'
import { type GrantNotes, withGrantNotes } from './grant-notes.ts'

type Of = { functionName: string; integration: Integration; connection: Connection }

/** A tool of a vendor's server that may be called. */
export type OpenVendorTool = Of & { target: VendorTarget; tool: VendorTool }

export type CallForwardedTool = (open: OpenVendorTool, args: Arguments, exchange: Exchange) => Promise<ToolResult>

type Needs = { vendorMcp: Pick<VendorMcp, 'callTool'>; grantNotes: GrantNotes }

/** Errors become the result of the tool: a model can act on a result, and not on a failed request. */
export const callForwardedTool =
  ({ vendorMcp, grantNotes }: Needs): CallForwardedTool =>
  async (open, args, exchange) => {
    try {
      const forwarded = await withGrantNotes(
        grantNotes,
        open,
        vendorMcp.callTool(open.target, open.tool, args, exchange),
      )
      return { forwarded, isError: forwarded.isError === true }
    } catch (error) {
      const failure = toolFailure(error, open)
      if (!failure) throw error
      const { message, code, scope } = failure
      return { ...failed(message, code), ...(scope && { scope }) }
    }
  }

const heldIn = new WeakMap<ToolList, ReadonlySet<string>>()

type Offering = { of: Of; target: VendorTarget; list: ToolList; call: CallForwardedTool }

export function forwardedTools({ of, target, list, call }: Offering): OfferedTool[] {
  const held = heldIn.get(list) ?? heldTools(list)
  heldIn.set(list, held)
  const { approved, pending } = list
  const known = new Set(approved.tools.map(({ name }) => name))
  const added = pending?.tools.filter(({ name }) => !known.has(name)) ?? []
  return [
    ...approved.tools.map((tool) => ({
      ...judged(tool),
      shown: shownOf(tool),
      call: held.has(tool.name)
        ? async () => heldResult(of, tool, hasChanged)
        : (args: Arguments, exchange: Exchange) => call({ ...of, target, tool }, args, exchange),
    })),
    ...added.map((tool) => ({ ...judged(tool), shown: undefined, call: async () => heldResult(of, tool, isNew) })),
  ]
}

/** By what the server says of it: a tool that does not say that it only reads is taken to change something. */
function judged({ name, annotations }: VendorTool) {
  const readsOnly = annotations?.readOnlyHint === true
  return { name, readsOnly, isReading: () => readsOnly }
}

const shownOf = ({ name: _, ...rest }: VendorTool): Omit<McpTool, 'name'> => rest as unknown as Omit<McpTool, 'name'>

const isNew = ['is new', 'can be called'] as const
const hasChanged = ['has changed', 'can be called again'] as const

const heldResult = ({ integration }: Of, { name }: VendorTool, [what, then]: readonly [string, string]): ToolResult =>
  failed(
    `The tool ${name} of ${integration.displayName} ${what} and waits for approval. It ${then} once the change has been approved.`,
    'tool_held',
  )
