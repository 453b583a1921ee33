import { z } from 'zod'
import type { OpaqueCursors } from '../../../kit/crypto/opaque-cursor.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { CallsOf, ToolCalls } from '../domain/tool-call.ts'

export type ReadToolCalls = ReturnType<typeof readToolCalls>

type Needs = { toolCalls: Pick<ToolCalls, 'list'>; cursors: OpaqueCursors; now: () => Date }

/** The calls of a function, newest first. */
export const readToolCalls =
  ({ toolCalls, cursors, now }: Needs) =>
  async (of: CallsOf, page: { limit: number; cursor: string | undefined }) => {
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
