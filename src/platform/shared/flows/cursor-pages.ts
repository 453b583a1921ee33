import type { z } from 'zod'
import { Failure } from '../domain/failure.ts'
import type { SharedPorts } from '../domain/ports.ts'

type PagingPorts = Pick<SharedPorts, 'cursors' | 'now'>

export function openCursor<T>(
  { cursors, now }: PagingPorts,
  cursor: string | undefined,
  query: string,
  Position: z.ZodType<T>,
): T | undefined {
  if (cursor === undefined) return undefined
  const position = Position.safeParse(cursors.open(cursor, query, now()))
  if (!position.success) throw new Failure('cursor_invalid', 'The cursor is not valid for this query.')
  return position.data
}

/** `found` has one more item than `limit` if there is another page. */
export function cutPage<T>(
  { cursors, now }: PagingPorts,
  found: T[],
  limit: number,
  query: string,
  positionOf: (item: T) => unknown,
) {
  const data = found.slice(0, limit)
  const last = data.at(-1)
  const hasMore = found.length > limit
  return { data, meta: { hasMore, nextCursor: hasMore && last ? cursors.seal(positionOf(last), query, now()) : '' } }
}
