// The list of tools that a vendor's server offers is pinned: what agents see changes when somebody has agreed to it.
import { createHash } from 'node:crypto'
import type { VendorCapability, VendorListing, VendorTool } from './vendor-mcp.ts'

/** `hold`: a changed list waits for approval. `allow`: it is shown at once, and reported. */
export type ToolChanges = 'hold' | 'allow'

export type ListedTools = { hash: string; tools: VendorTool[]; instructions: string | undefined }

/** Which list: of one function, and of its nth connection to an integration. A re-link may replace the connection. */
export type ToolListKey = { functionId: string; integration: string; position: number }

export type ToolList = ToolListKey & {
  connection: string
  capabilities: VendorCapability[]
  approved: ListedTools & { at: Date; by: string }
  pending: (ListedTools & { since: Date }) | undefined
  seenAt: Date
  /** Which connection and which version of its secrets it was asked with. */
  seenWith: string
}

/** `first`: nothing was known. `held`, `allowed`: it is news. `same`: it is as it was, also when it waits already. */
export type ListOutcome = 'first' | 'same' | 'held' | 'allowed'

export type ToolLists = {
  find(key: ToolListKey): Promise<ToolList | undefined>
  ofFunction(functionId: string): Promise<ToolList[]>
  /** Writes down what the server lists now, as the policy has it. */
  see(key: ToolListKey, seen: SeenList): Promise<{ list: ToolList; outcome: ListOutcome }>
  /** The server is asked again by whoever lists next, however lately it was. */
  doubt(key: ToolListKey): Promise<void>
  /** Makes what waits the approved list, if it is still the one that was looked at. */
  approve(key: ToolListKey, hash: string, by: string): Promise<boolean>
}

export type SeenList = {
  connection: string
  seenWith: string
  listed: ListedTools
  capabilities: VendorCapability[]
  policy: ToolChanges
}

/** What the first list and a list that a policy lets through are approved by. */
export const approvers = { first: 'first listing', policy: 'policy' } as const

/**
 * All that a server tells agents is in the hash, whatever order it tells it in. Names are unique (MCP, tools): of several
 * tools of one name the first counts, because a change of one could hide behind another.
 */
export function listedTools({ tools: all, instructions }: Pick<VendorListing, 'tools' | 'instructions'>): ListedTools {
  const names = new Set<string>()
  const tools = all.filter(({ name }) => !names.has(name) && names.add(name))
  const sorted = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return { hash: digest({ tools: sorted, instructions: instructions ?? null }), tools, instructions }
}

export type ToolListChange = { added: string[]; removed: string[]; changed: string[]; instructionsChanged: boolean }

export function changeBetween(approved: ListedTools, pending: ListedTools): ToolListChange {
  const before = digests(approved.tools)
  const after = digests(pending.tools)
  return {
    added: [...after.keys()].filter((name) => !before.has(name)),
    removed: [...before.keys()].filter((name) => !after.has(name)),
    changed: [...after.keys()].filter((name) => before.has(name) && before.get(name) !== after.get(name)),
    instructionsChanged: approved.instructions !== pending.instructions,
  }
}

/** What may not be called until somebody has agreed: new tools, and those that are not what they were. */
export function heldTools({ approved, pending }: Pick<ToolList, 'approved' | 'pending'>): ReadonlySet<string> {
  if (!pending) return new Set()
  const { added, changed } = changeBetween(approved, pending)
  return new Set([...added, ...changed])
}

const digests = (tools: readonly VendorTool[]) => new Map(tools.map((tool) => [tool.name, digest(tool)]))

const digest = (value: unknown): string => createHash('sha256').update(canonical(value)).digest('hex')

/** RFC 8785 in what matters here: members in the order of their names. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const members = Object.entries(value)
    .filter(([, inner]) => inner !== undefined)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}
