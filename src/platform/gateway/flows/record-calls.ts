import { z } from 'zod'
import type { OpaqueCursors } from '../../../kit/crypto/opaque-cursor.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { OpenMcp, ToolResult } from '../domain/mcp.ts'
import type { CallsOf, ToolCallOutcome, ToolCalls } from '../domain/tool-call.ts'

/** Calls of unknown tools are not recorded, because the client invented the name. */
export function recordCalls(
  { toolCalls, now }: { toolCalls: ToolCalls; now: () => Date },
  mcp: OpenMcp,
  { workspace, caller: { kind, id, label, credential } }: Member,
): OpenMcp {
  const recorded = { workspace, functionName: mcp.name, functionId: mcp.id, caller: { kind, id, label, credential } }
  return {
    ...mcp,
    async call(tool, args, exchange) {
      const { signal } = exchange
      const at = now()
      const note = (outcome: ToolCallOutcome, code?: ToolResult['code']) =>
        toolCalls.note({ ...recorded, at, durationMs: now().getTime() - at.getTime(), tool, outcome, code })
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

const refusals: ReadonlySet<string> = new Set([
  'rate_limited',
  'tool_not_offered',
  'tool_held',
  'approval_required',
  'approval_declined',
])

function outcomeOf({ isError, code }: ToolResult, signal: AbortSignal): ToolCallOutcome {
  if (code !== undefined && refusals.has(code)) return 'refused'
  if (signal.aborted) return 'cancelled'
  return isError ? 'failed' : 'succeeded'
}

type CallLog = { toolCalls: ToolCalls; cursors: OpaqueCursors; now: () => Date }

export async function readToolCalls(
  { toolCalls, cursors, now }: CallLog,
  of: CallsOf,
  page: { limit: number; cursor: string | undefined },
) {
  const boundTo = `tool-calls|${of.workspace}|${of.functionName}`
  const before = page.cursor === undefined ? undefined : positionOf(cursors.open(page.cursor, boundTo, now()))
  const found = await toolCalls.list(of, before, page.limit + 1)
  const data = found.slice(0, page.limit)
  const last = data.at(-1)
  const hasMore = found.length > page.limit
  return { data, hasMore, nextCursor: hasMore && last ? cursors.seal({ seq: last.seq }, boundTo, now()) : '' }
}

function positionOf(opened: unknown): number {
  const position = z.strictObject({ seq: z.int() }).safeParse(opened)
  if (!position.success) throw new Failure('cursor_invalid', 'The cursor is not valid for this query.')
  return position.data.seq
}
