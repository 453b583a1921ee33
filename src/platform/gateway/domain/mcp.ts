import type { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'
import type { ApprovalNeed } from './approvals/approval.ts'
import type { CallTraits } from './approvals/approval-rule.ts'
import type { Declared } from './clients/declared.ts'
import type { AskedInputs } from './clients/inputs.ts'
import type { Gap, RequiredInput } from './repair.ts'
import type { ToolContent } from './tool-content.ts'
import type { Arguments } from './tool-request.ts'
import type { Exchange, ForwardedMethod, JsonObject, VendorCapability } from './vendor/vendor-mcp.ts'

/** Errors are results as well: a model can act on a result but not on a failed request. */
export type ToolResult = ContentResult | (Outcome & { forwarded: JsonObject })

export type ContentResult = Outcome & { content: ToolContent }

type Outcome = {
  isError: boolean
  code?: ToolErrorCode
  scope?: string
  gap?: Gap
  repairUrl?: string
  /** The call waits for a person. Nothing was sent. */
  need?: ApprovalNeed
  approvalUrl?: string
  /** A vendor's server asks the user something. */
  asks?: AskedInputs
  input?: RequiredInput
}

export const answered = (text: string, isError = false): ContentResult => ({ content: { kind: 'text', text }, isError })

export const failed = (text: string, code?: ToolErrorCode): ContentResult => ({
  ...answered(text, true),
  ...(code && { code }),
})

/** Becomes a JSON-RPC error. For requests other than tool calls. */
export class McpFailure extends Error {
  constructor(
    message: string,
    readonly reason: { code: ToolErrorCode; scope?: string } | undefined,
    readonly code?: number,
    readonly data?: JsonObject,
  ) {
    super(message)
  }
}

const invalidParams = -32_602

export const stateRefused = (why: string): McpFailure =>
  new McpFailure(`The request state ${why}. Call again without it.`, undefined, invalidParams)

export type McpTool = {
  name: string
  description?: string
  inputSchema: { type: 'object'; [member: string]: unknown }
  annotations?: { readOnlyHint?: boolean; destructiveHint?: boolean }
  _meta?: { ui: { resourceUri: string } }
}

export type OfferedTool = {
  name: string
  /** Policies do not apply, because it calls nothing at the third party. */
  isOurs?: true
  readsOnly: boolean
  isReading(args: Arguments): boolean
  /** `covers`: what an approval for an hour is for, if less than the tool. Undefined for arguments that are never sent. */
  traits(args: Arguments): (CallTraits & { covers?: string }) | undefined
  /** Undefined until the tool is approved. */
  shown: Omit<McpTool, 'name'> | undefined
  call(args: Arguments, exchange: Exchange): Promise<ToolResult>
}

export type McpTarget = { workspace: string; kind: 'function' | 'sandbox' | 'person'; name: string }

export type OpenMcp = {
  id: string
  memoryMb: number
  name: string
  title: string
  /** Its MCP server is this image. */
  image?: string | undefined
  listTools(exchange: Exchange): Promise<McpTool[]>
  beyondTools?: {
    capabilities: VendorCapability[]
    instructions: string | undefined
    ask(method: ForwardedMethod, params: JsonObject, exchange: Exchange): Promise<JsonObject>
  }
  /** Whether a call changes nothing at the third party. Unknown tools count as writing. */
  isReading(name: string, args: Arguments): boolean
  call(name: string, args: Arguments, exchange: Exchange): Promise<ToolResult | undefined>
}

/** Only the owner can use a session, even if another caller knows its ID. */
export type SessionOwner = McpTarget & { caller: string }

export type McpSessions = {
  add(id: string, owner: SessionOwner, declared: Declared): Promise<void>
  /** Undefined if the session is not open. */
  find(id: string, owner: SessionOwner): Promise<Declared | undefined>
  end(id: string, owner: SessionOwner): Promise<boolean>
}

export type McpEvent = { seq: number; message: string; last: boolean }

type MissedEvents = { events: McpEvent[]; isOver: boolean }

/** Recent responses, so that a client can resume in any process after it lost its connection. */
export type McpEvents = {
  keptMs: number
  add(session: string, stream: string, event: McpEvent): Promise<void>
  after(session: string, stream: string, seq: number): Promise<MissedEvents | undefined>
}
