import type { ToolErrorCode } from '../../../contract/gateway/tool-result.ts'

/** `refused` by the operator's policy, `crashed` by a fault of the platform. */
export type ToolCallOutcome = 'succeeded' | 'failed' | 'refused' | 'cancelled' | 'crashed'

/** Arguments and results are not recorded. */
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

export type CallsOf = { workspace: string; functionName: string; exceptOf?: string | undefined }

export type ToolCalls = {
  /** Returns at once; calls are written every second. */
  note(call: ToolCall): void
  list(of: CallsOf, before: number | undefined, limit: number): Promise<RecordedCall[]>
}
