import type { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'
import type { ToolContent } from './tool-content.ts'
import type { Arguments } from './tool-request.ts'
import type { Exchange, ForwardedMethod, JsonObject, VendorCapability } from './vendor/vendor-mcp.ts'

/**
 * What a tool answers, errors included: a model can act on a result, and not on a failed request. One of a vendor's own
 * server is passed on as it is.
 */
export type ToolResult = ContentResult | (Outcome & { forwarded: JsonObject })

export type ContentResult = Outcome & { content: ToolContent }

type Outcome = { isError: boolean; code?: ToolErrorCode; scope?: string }

export const answered = (text: string, isError = false): ContentResult => ({ content: { kind: 'text', text }, isError })

export const failed = (text: string, code?: ToolErrorCode): ContentResult => ({
  ...answered(text, true),
  ...(code && { code }),
})

/** Told to clients as an error of the protocol: of a request that is no call of a tool. */
export class McpFailure extends Error {
  constructor(
    message: string,
    /** For programs that act on it. */
    readonly reason: { code: ToolErrorCode; scope?: string } | undefined,
    /** Of JSON-RPC, where it is not our own. */
    readonly code?: number,
  ) {
    super(message)
  }
}

/** A tool as clients see it; one of a vendor's own server has whatever that says of it. */
export type McpTool = {
  name: string
  description?: string
  inputSchema: { type: 'object'; [member: string]: unknown }
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }
}

/** A tool of a connection, whatever is behind it. */
export type OfferedTool = {
  name: string
  /** Whether it can only read, whatever its arguments are. */
  readsOnly: boolean
  isReading(args: Arguments): boolean
  /** Undefined if it may not be seen: somebody has to approve it first. */
  shown: Omit<McpTool, 'name'> | undefined
  call(args: Arguments, exchange: Exchange): Promise<ToolResult>
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
  listTools(exchange: Exchange): Promise<McpTool[]>
  /** Of functions that pass requests on to vendors' own servers. */
  beyondTools?: {
    capabilities: VendorCapability[]
    instructions: string | undefined
    ask(method: ForwardedMethod, params: JsonObject, exchange: Exchange): Promise<JsonObject>
  }
  /** Whether a call would change nothing at the third party; what is not known is taken to change something. */
  isReading(name: string, args: Arguments): boolean
  /** Returns undefined if there is no such tool. */
  call(name: string, args: Arguments, exchange: Exchange): Promise<ToolResult | undefined>
}

/** Who a session belongs to; nobody else can use it, however they came by its id. */
export type SessionOwner = McpTarget & { caller: string }

export type McpSessions = {
  add(id: string, owner: SessionOwner): Promise<void>
  isOpen(id: string, owner: SessionOwner): Promise<boolean>
  /** Whether it was open. */
  end(id: string, owner: SessionOwner): Promise<boolean>
}

/** `message`: as JSON. */
export type McpEvent = { seq: number; message: string; last: boolean }

/** What came next after an event, as much as is read at once; `isOver`: nothing else will come. */
export type MissedEvents = { events: McpEvent[]; isOver: boolean }

/** Answers under way or delivered a short while ago, so that a client that lost its connection can read on anywhere. */
export type McpEvents = {
  /** How long each is kept. */
  keptMs: number
  add(session: string, stream: string, event: McpEvent): Promise<void>
  /** Returns undefined if the session has no such stream. */
  after(session: string, stream: string, seq: number): Promise<MissedEvents | undefined>
}
