import type { Page } from '../../domain/ports/shared.ts'

/** One row more than asked for tells that there is a next page. */
export function pageOf<T>(rows: T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, nextCursor: rows.length > limit && last ? cursorOf(last) : undefined }
}
