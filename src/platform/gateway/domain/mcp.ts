import type { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'
import type { ToolContent } from './tool-content.ts'
import type { Arguments } from './tool-request.ts'

/** What a tool answers, errors included: a model can act on a result, and not on a failed request. */
export type ToolResult = { content: ToolContent; isError: boolean; code?: ToolErrorCode }

export const answered = (text: string, isError = false): ToolResult => ({ content: { kind: 'text', text }, isError })

export const failed = (text: string, code?: ToolErrorCode): ToolResult => ({
  ...answered(text, true),
  ...(code && { code }),
})

/** A tool as clients see it. */
export type McpTool = {
  name: string
  description: string
  inputSchema: { type: 'object'; [member: string]: unknown }
  annotations?: { readOnlyHint: boolean; destructiveHint?: boolean }
}

/** Which resource an MCP server belongs to. */
export type McpTarget = { workspace: string; kind: 'function' | 'sandbox'; name: string }

/** An MCP server with all it can do right now. */
export type OpenMcp = {
  /** The resource, for metering. */
  id: string
  memoryMb: number
  name: string
  title: string
  tools: McpTool[]
  /** Whether a call would change nothing at the third party; what is not known is taken to change something. */
  isReading(name: string, args: Arguments): boolean
  /** Returns undefined if there is no such tool. */
  call(name: string, args: Arguments, signal: AbortSignal): Promise<ToolResult | undefined>
}

/** Who a session belongs to; nobody else can use it, however they came by its id. */
export type SessionOwner = McpTarget & { caller: string }

export type McpSessions = {
  add(id: string, owner: SessionOwner): Promise<void>
  isOpen(id: string, owner: SessionOwner): Promise<boolean>
  /** Whether it was open. */
  end(id: string, owner: SessionOwner): Promise<boolean>
}

export type McpEvent = { seq: number; message: unknown; last: boolean }

/** What came after an event; `isOver`: nothing else will. */
export type MissedEvents = { events: McpEvent[]; isOver: boolean }

/** Answers under way or delivered a short while ago, so that a client that lost its connection can read on anywhere. */
export type McpEvents = {
  add(session: string, stream: string, event: McpEvent): Promise<void>
  /** Returns undefined if the session has no such stream. */
  after(session: string, stream: string, seq: number): Promise<MissedEvents | undefined>
}
