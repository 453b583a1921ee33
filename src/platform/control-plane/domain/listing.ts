import type { Sort } from '../../../contract/page.ts'
import { inOneLine, type Resource } from './resource.ts'

/** Which resources a list is about. A cursor is bound to all of it. An undefined parent means whatever parent. */
export type Listing = { workspace: string; kind: string; parent: string | undefined; sort: Sort; q: string }

/** The position after a resource in a sort order: names are unique, creation times are not. */
export type Position = { name: string } | { createdAt: string; seq: number }

export type PageQuery = Listing & { limit: number; after: Position | undefined; fromEnd: boolean }

export type ListedResource = Resource & { seq: number }

export function positionOf({ name, createdAt, seq }: ListedResource, sort: Sort): Position {
  return sort.startsWith('name') ? { name } : { createdAt: createdAt.toISOString(), seq }
}

/** What a cursor is sealed for, as one text. */
export const boundTo = ({ workspace, kind, parent, sort, q }: Listing): string =>
  JSON.stringify([workspace, kind, parent, sort, q])

/** Trimmed and lowercased; below two characters a query would match nearly everything, so it matches everything. */
export function searchTerm(q: string | undefined): string {
  const term = inOneLine((q ?? '').trim()).toLowerCase()
  return [...term].length < 2 ? '' : term
}
