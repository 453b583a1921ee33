import type { Page } from '../../../src/onboarding/domain/ports/shared.ts'
import { byText } from './tables.ts'

export function pageOf<T>(rows: T[], limit: number, cursorOf: (row: T) => string): Page<T> {
  const data = rows.slice(0, limit)
  const last = data.at(-1)
  return { data, nextCursor: rows.length > limit && last ? cursorOf(last) : undefined }
}

export function newestFirst<T extends { id: string }>(
  rows: Iterable<T>,
  { cursor, limit }: { cursor: string | undefined; limit: number },
): Page<T> {
  const behind = [...rows].filter(({ id }) => cursor === undefined || id < cursor)
  return pageOf(behind.sort(byText(({ id }) => id)).reverse(), limit, ({ id }) => id)
}

export const fits = <T extends object>(row: T, asked: Filters<T>): boolean =>
  Object.entries(asked).every(([name, value]) => value === undefined || row[name as keyof T] === value)

type Filters<T> = { [Name in keyof T]?: T[Name] | undefined }
