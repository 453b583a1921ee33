import type { Sort } from '../../../contract/page.ts'
import { inOneLine, type Resource } from './resource.ts'

/** The cursor is bound to all members. An undefined parent matches all parents. */
export type Listing = { workspace: string; kind: string; parent: string | undefined; sort: Sort; q: string }

/** Names are unique. Creation times are not, so they need `seq`. */
export type Position = { name: string } | { createdAt: string; seq: number }

export type PageQuery = Listing & { limit: number; after: Position | undefined; fromEnd: boolean }

export type ListedResource = Resource & { seq: number }

export function positionOf({ name, createdAt, seq }: ListedResource, sort: Sort): Position {
  return sort.startsWith('name') ? { name } : { createdAt: createdAt.toISOString(), seq }
}

export const boundTo = ({ workspace, kind, parent, sort, q }: Listing): string =>
  JSON.stringify([workspace, kind, parent, sort, q])

export function searchTerm(q: string | undefined): string {
  const term = inOneLine((q ?? '').trim()).toLowerCase()
  return [...term].length < 2 ? '' : term
}
