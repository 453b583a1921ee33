import { z } from 'zod'
import { ToolErrorCode } from '../gateway/tool-result.ts'
import { cursorPage } from '../page.ts'
import { Cursor, Flag, pageLimit } from '../query.ts'

/** `exceptOwn` excludes calls made with the requesting credential. */
export const ToolCallQuery = z.object({ cursor: Cursor.optional(), limit: pageLimit(200, 50), exceptOwn: Flag })

/** Arguments and results are not stored. */
const ToolCall = z.object({
  time: z.iso.datetime(),
  tool: z.string(),
  /** `refused`: by the operator's policy. `crashed`: by an error of the platform. */
  outcome: z.enum(['succeeded', 'failed', 'refused', 'cancelled', 'crashed']),
  code: ToolErrorCode.optional(),
  durationMs: z.int(),
  caller: z.object({ kind: z.string(), id: z.string(), name: z.string(), credential: z.string() }),
})
export const ToolCallPage = cursorPage(ToolCall)
export type ToolCallPage = z.infer<typeof ToolCallPage>
