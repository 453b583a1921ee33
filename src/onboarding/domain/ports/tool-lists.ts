import type { AuditEntry } from '../audit/audit-entry.ts'
import type { Connection } from '../connection.ts'
import type { TenantEvent } from '../tenant-event.ts'
import type { FunctionPlace } from './function-access.ts'

export type ListedTool = { name: string; description: string | undefined; readOnly: boolean; definition: Definition }
export type Definition = Readonly<Record<string, unknown>>

/** What agents are told of a vendor's own MCP server. The hash is of all of it. */
export type ListedTools = { hash: string; tools: ListedTool[]; instructions: string | undefined }

export type ToolListChange = { added: string[]; removed: string[]; changed: string[]; instructionsChanged: boolean }

/** `pending`: what the server lists now, if nobody has approved that. */
export type ToolList = {
  integration: string
  position: number
  seenAt: Date
  approved: ListedTools & { at: Date; by: string }
  pending: (ListedTools & { since: Date; change: ToolListChange }) | undefined
}

/** The platform's lists of the tools of vendors' own MCP servers. */
export type ToolLists = {
  /** Returns undefined if the function has no tools of a vendor's own server, or none were listed so far. */
  find(at: FunctionPlace): Promise<ToolList | undefined>
  /** Returns whether it was still the change that was looked at. */
  approve(at: FunctionPlace, list: Pick<ToolList, 'integration' | 'position'>, hash: string): Promise<boolean>
}

export type ToolListNews = {
  connection: Connection
  hash: string
  /** `first_too`: also if no list was known so far. `never`: it is remembered, and nobody is told. */
  tell: 'first_too' | 'if_known' | 'never'
  audit: AuditEntry
  event: TenantEvent
}

/** Which list of a connection its tenant was last told of. */
export type KnownToolLists = { remember(news: ToolListNews): Promise<void> }
