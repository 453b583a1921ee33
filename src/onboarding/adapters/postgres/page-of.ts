import type { z } from 'zod'
import { type Queryable, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import type { Page } from '../../domain/ports/shared.ts'

/** Expects one row more than the limit, which shows that there is a next page. */
export function pageOf<T>(rows: T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, nextCursor: rows.length > limit && last ? cursorOf(last) : undefined }
}

export type Cursor = { cursor: string | undefined; limit: number }

/** `selected` must end with its condition. IDs sort by time. */
export async function newestPage<Row extends { id: string }>(
  db: Queryable,
  schema: z.ZodType<Row>,
  selected: Sql,
  { cursor, limit }: Cursor,
  id = sql`id`,
): Promise<Page<Row>> {
  const before = cursor === undefined ? sql`` : sql`and ${id} < ${cursor}`
  const found = await rows(db, schema, sql`${selected} ${before} order by ${id} desc limit ${limit + 1}`)
  return pageOf(found, limit, (row) => row.id)
}
