import type { CallTraits } from '../domain/approvals/approval-rule.ts'
import type { AskedInputs } from '../domain/clients/inputs.ts'
import type { Connection } from '../domain/connection.ts'
import type { Integration } from '../domain/integration.ts'
import { answered, failed, type McpTool, type OfferedTool, type ToolResult } from '../domain/mcp.ts'
import { toolFailure } from '../domain/tool-failure.ts'
import type { Arguments } from '../domain/tool-request.ts'
import { heldTools, type ToolList } from '../domain/vendor/tool-list.ts'
import {
  type Exchange,
  type JsonObject,
  UrlsRequired,
  type VendorMcp,
  type VendorTarget,
  type VendorTool,
} from '../domain/vendor/vendor-mcp.ts'
import { type GrantNotes, withGrantNotes } from './grant-notes.ts'

type Of = { functionName: string; integration: Integration; connection: Connection }

type OpenVendorTool = Of & { target: VendorTarget; tool: VendorTool }

export type CallForwardedTool = (open: OpenVendorTool, args: Arguments, exchange: Exchange) => Promise<ToolResult>

type Needs = { vendorMcp: Pick<VendorMcp, 'callTool'>; grantNotes: GrantNotes }

/** Errors become results: a model can act on a result but not on a failed request. */
export const callForwardedTool =
  ({ vendorMcp, grantNotes }: Needs): CallForwardedTool =>
  async (open, args, exchange) => {
    try {
      const forwarded = await withGrantNotes(
        grantNotes,
        open,
        vendorMcp.callTool(open.target, open.tool, args, exchange),
      )
      return asksIn(forwarded) ?? { forwarded, isError: forwarded.isError === true }
    } catch (error) {
      if (error instanceof UrlsRequired) return { ...answered(''), asks: pagesOf(error) }
      const failure = toolFailure(error, open)
      if (!failure) throw error
      const { message, code, scope } = failure
      return { ...failed(message, code), ...(scope && { scope }) }
    }
  }

function asksIn({ resultType, inputRequests, requestState }: JsonObject): ToolResult | undefined {
  if (resultType !== 'input_required') return undefined
  const requests = (inputRequests ?? {}) as JsonObject
  return { ...answered(''), asks: { requests, ...(typeof requestState === 'string' && { state: requestState }) } }
}

const pagesOf = ({ elicitations }: UrlsRequired): AskedInputs => {
  const pages = Array.isArray(elicitations) ? elicitations : []
  const requests = pages.map((params, at) => [`page-${at + 1}`, { method: 'elicitation/create', params }])
  return { requests: Object.fromEntries(requests), again: true }
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

/** A tool without `readOnlyHint` counts as writing, and without `destructiveHint` as destructive (MCP, ToolAnnotations). */
function judged({ name, annotations }: VendorTool) {
  const readsOnly = annotations?.readOnlyHint === true
  const writing = annotations?.destructiveHint === false ? 'writes' : 'destroys'
  const traits: CallTraits = { tool: name, effect: readsOnly ? 'reads' : writing }
  return { name, readsOnly, isReading: () => readsOnly, traits: () => traits }
}

const shownOf = ({ name: _, ...rest }: VendorTool): Omit<McpTool, 'name'> => rest as unknown as Omit<McpTool, 'name'>

const isNew = ['is new', 'can be called'] as const
const hasChanged = ['has changed', 'can be called again'] as const

const heldResult = ({ integration }: Of, { name }: VendorTool, [what, then]: readonly [string, string]): ToolResult =>
  failed(
    `The tool ${name} of ${integration.displayName} ${what} and waits for approval. It ${then} once the change has been approved.`,
    'tool_held',
  )
