import { z } from 'zod'
import { ToolErrorCode } from '../gateway/tool-result.ts'
import { Cursor, Flag, pageLimit } from '../query.ts'

/** `exceptOwn`: without the calls of the credential that asks, which knows them already. */
export const ToolCallQuery = z.object({ cursor: Cursor.optional(), limit: pageLimit(200, 50), exceptOwn: Flag })

/** One call of a tool of a function: who, which tool, what became of it. Nothing of what was said is kept. */
export const ToolCall = z.object({
  time: z.iso.datetime(),
  tool: z.string(),
  /** `refused`: by the operator's policy. `crashed`: by a fault of the platform's own. */
  outcome: z.enum(['succeeded', 'failed', 'refused', 'cancelled', 'crashed']),
  code: ToolErrorCode.optional(),
  durationMs: z.int(),
  caller: z.object({ kind: z.string(), id: z.string(), name: z.string(), credential: z.string() }),
})
export type ToolCall = z.infer<typeof ToolCall>

export const ToolCallPage = z.object({
  data: z.array(ToolCall),
  meta: z.object({ hasMore: z.boolean(), nextCursor: z.string() }),
})
export type ToolCallPage = z.infer<typeof ToolCallPage>
