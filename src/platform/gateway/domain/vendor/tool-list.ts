// The tools of a vendor's server are pinned: agents see a change only after it is approved.
import { jsonDigest } from '../json-digest.ts'
import type { VendorCapability, VendorListing, VendorTool } from './vendor-mcp.ts'

/** `hold`: a changed list waits for approval. `allow`: it is shown at once and reported. */
type ToolChanges = 'hold' | 'allow'

export type ListedTools = { hash: string; tools: VendorTool[]; instructions: string | undefined }

/** A function's nth connection to an integration. A re-link may replace the connection. */
export type ToolListKey = { functionId: string; integration: string; position: number }

export type ToolList = ToolListKey & {
  connection: string
  capabilities: VendorCapability[]
  approved: ListedTools & { at: Date; by: string }
  pending: (ListedTools & { since: Date }) | undefined
  seenAt: Date
  seenWith: string
}

/** `same`: unchanged, or already pending. */
type ListOutcome = 'first' | 'same' | 'held' | 'allowed'

export type ToolLists = {
  find(key: ToolListKey): Promise<ToolList | undefined>
  ofFunction(functionId: string): Promise<ToolList[]>
  see(key: ToolListKey, seen: SeenList): Promise<{ list: ToolList; outcome: ListOutcome }>
  /** Makes the next listing ask the server again. */
  doubt(key: ToolListKey): Promise<void>
  approve(key: ToolListKey, hash: string, by: string): Promise<boolean>
}

export type SeenList = {
  connection: string
  seenWith: string
  listed: ListedTools
  capabilities: VendorCapability[]
  policy: ToolChanges
}

export const approvers = { first: 'first listing', policy: 'policy' } as const

/** Hashes all that agents see, in any order. Of duplicate names only the first counts (MCP: names are unique). */
export function listedTools({ tools: all, instructions }: Pick<VendorListing, 'tools' | 'instructions'>): ListedTools {
  const names = new Set<string>()
  const tools = all.filter(({ name }) => !names.has(name) && names.add(name))
  const sorted = tools.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return { hash: jsonDigest({ tools: sorted, instructions: instructions ?? null }), tools, instructions }
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

export function heldTools({ approved, pending }: Pick<ToolList, 'approved' | 'pending'>): ReadonlySet<string> {
  if (!pending) return new Set()
  const { added, changed } = changeBetween(approved, pending)
  return new Set([...added, ...changed])
}

const digests = (tools: readonly VendorTool[]) => new Map(tools.map((tool) => [tool.name, jsonDigest(tool)]))
