import type { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'

/** `refused`: the operator's policy did not let it through. `crashed`: a fault of the platform's own. */
export type ToolCallOutcome = 'succeeded' | 'failed' | 'refused' | 'cancelled' | 'crashed'

/** One call as it is written down: who, which tool, what became of it, when. Nothing of what was said. */
export type ToolCall = {
  at: Date
  durationMs: number
  workspace: string
  functionName: string
  functionId: string
  caller: { kind: string; id: string; label: string; credential: string }
  tool: string
  outcome: ToolCallOutcome
  code: ToolErrorCode | undefined
}

export type RecordedCall = ToolCall & { seq: number }

/** `exceptOf`: a credential whose calls are left out. */
export type CallsOf = { workspace: string; functionName: string; exceptOf?: string | undefined }

export type ToolCalls = {
  /** Returns at once; calls are written together every second. */
  note(call: ToolCall): void
  /** Newest first. */
  list(of: CallsOf, before: number | undefined, limit: number): Promise<RecordedCall[]>
}
