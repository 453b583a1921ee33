import type { AuditEntry } from '../audit/audit-entry.ts'
import type { Connection } from '../connection.ts'
import type { TenantEvent } from '../tenant-event.ts'
import type { FunctionPlace } from './function-access.ts'

export type ListedTool = { name: string; description: string | undefined; readOnly: boolean; definition: Definition }
export type Definition = Readonly<Record<string, unknown>>

export type ListedTools = { hash: string; tools: ListedTool[]; instructions: string | undefined }

type ToolListChange = { added: string[]; removed: string[]; changed: string[]; instructionsChanged: boolean }

export type ToolList = {
  integration: string
  position: number
  seenAt: Date
  approved: ListedTools & { at: Date; by: string }
  pending: (ListedTools & { since: Date; change: ToolListChange }) | undefined
}

export type ToolLists = {
  find(at: FunctionPlace): Promise<ToolList | undefined>
  approve(at: FunctionPlace, list: Pick<ToolList, 'integration' | 'position'>, hash: string): Promise<boolean>
}

export type ToolListNews = {
  connection: Connection
  hash: string
  /** `first_too`: also if no list was known before. `never`: only remembered. */
  tell: 'first_too' | 'if_known' | 'never'
  audit: AuditEntry
  event: TenantEvent
}

/** The latest list of a connection that its tenant was notified of. */
export type KnownToolLists = { remember(news: ToolListNews): Promise<void> }
