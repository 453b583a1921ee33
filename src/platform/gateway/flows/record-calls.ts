import type { Member } from '../../shared/domain/caller.ts'
import type { OpenMcp, ToolResult } from '../domain/mcp.ts'
import type { ToolCallOutcome, ToolCalls } from '../domain/tool-call.ts'

type Needs = { toolCalls: Pick<ToolCalls, 'note'>; now: () => Date }

export type RecordCalls = (mcp: OpenMcp, member: Member) => OpenMcp

/** The same server, whose calls are on record. A name that is no tool's is what a client made up, and is not kept. */
export const recordCalls =
  ({ toolCalls, now }: Needs): RecordCalls =>
  (mcp, { workspace, caller: { kind, id, label, credential } }) => {
    const by = { kind, id, label, credential }
    return {
      ...mcp,
      async call(tool, args, exchange) {
        const { signal } = exchange
        const at = now()
        const note = (outcome: ToolCallOutcome, code?: ToolResult['code']) =>
          toolCalls.note({
            workspace,
            functionName: mcp.name,
            functionId: mcp.id,
            caller: by,
            at,
            durationMs: now().getTime() - at.getTime(),
            tool,
            outcome,
            code,
          })
        try {
          const result = await mcp.call(tool, args, exchange)
          if (result) note(outcomeOf(result, signal), result.code)
          return result
        } catch (error) {
          note(signal.aborted ? 'cancelled' : 'crashed')
          throw error
        }
      },
    }
  }

/** By the operator's policy, or because nobody has approved the tool yet. */
const refusals: ReadonlySet<string> = new Set(['rate_limited', 'tool_not_offered', 'tool_held'])

function outcomeOf({ isError, code }: ToolResult, signal: AbortSignal): ToolCallOutcome {
  if (code !== undefined && refusals.has(code)) return 'refused'
  if (signal.aborted) return 'cancelled'
  return isError ? 'failed' : 'succeeded'
}
