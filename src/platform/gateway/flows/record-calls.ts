import type { Member } from '../../shared/domain/caller.ts'
import type { OpenMcp, ToolResult } from '../domain/mcp.ts'
import type { ToolCallOutcome, ToolCalls } from '../domain/tool-call.ts'

type Needs = { toolCalls: Pick<ToolCalls, 'note'>; now: () => Date }

export type RecordCalls = (mcp: OpenMcp, member: Member) => OpenMcp

/** The same server, whose calls are on record. A name that is no tool's is what a client made up, and is not kept. */
export const recordCalls =
  ({ toolCalls, now }: Needs): RecordCalls =>
  (mcp, { workspace, caller: { kind, id, label, credential } }) => {
    const known = { workspace, functionName: mcp.name, functionId: mcp.id, caller: { kind, id, label, credential } }
    return {
      ...mcp,
      async call(tool, args, signal) {
        const at = now()
        const note = (outcome: ToolCallOutcome, code?: ToolResult['code']) =>
          toolCalls.note({ ...known, at, durationMs: now().getTime() - at.getTime(), tool, outcome, code })
        try {
          const result = await mcp.call(tool, args, signal)
          if (result) note(outcomeOf(result, signal), result.code)
          return result
        } catch (error) {
          note(signal.aborted ? 'cancelled' : 'crashed')
          throw error
        }
      },
    }
  }

function outcomeOf({ isError, code }: ToolResult, signal: AbortSignal): ToolCallOutcome {
  if (code === 'rate_limited' || code === 'tool_not_offered') return 'refused'
  if (signal.aborted) return 'cancelled'
  return isError ? 'failed' : 'succeeded'
}
