import { z } from 'zod'
import type { Page, Sort } from '../../../contract/page.ts'
import type { OpaqueCursors } from '../../../kit/crypto/opaque-cursor.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Kind } from '../domain/kind.ts'
import { boundTo, type ListedResource, type Listing, type Position, positionOf } from '../domain/listing.ts'
import type { Resources } from '../domain/ports.ts'
import type { Resource } from '../domain/resource.ts'
import type { WithAttachments } from './find-resource.ts'
import type { ResourceAssertions } from './resource-assertions.ts'

export type ListResources = ReturnType<typeof listResources>

export type PageRequest = Listing & { limit: number; cursor: string | undefined; fromEnd: boolean }

type Needs = {
  resources: Pick<Resources, 'page' | 'count'>
  cursors: OpaqueCursors
  assert: Pick<ResourceAssertions, 'parentsExist'>
  withAttachments: WithAttachments
  now: () => Date
}

export const listResources = ({ resources, cursors, assert, withAttachments, now }: Needs) => ({
  async page(kind: Kind, { limit, cursor, fromEnd, ...listing }: PageRequest): Promise<Page<Resource>> {
    const after = cursor === undefined ? undefined : openCursor(cursors, cursor, listing, now())
    const [rows, total] = await Promise.all([
      resources.page({ ...listing, after, fromEnd, limit: fromEnd ? limit : limit + 1 }),
      resources.count(listing.workspace, listing.kind),
    ])
    const found = await withAttachments(kind, listing.workspace, rows)
    if (fromEnd) return { data: found.reverse(), meta: { hasMore: false, nextCursor: '', total } }
    const data = found.slice(0, limit)
    const hasMore = found.length > limit
    const last = data.at(-1)
    const nextCursor = hasMore && last ? cursors.seal(positionOf(last, listing.sort), boundTo(listing), now()) : ''
    return { data, meta: { hasMore, nextCursor, total } }
  },

  /** All of them, page by page, with one page in memory at a time. */
  async *all(kind: Kind, listing: Listing): AsyncGenerator<Resource[]> {
    let after: Position | undefined
    if (listing.parent) await assert.parentsExist(kind, listing.workspace, listing.parent)
    for (;;) {
      const found: ListedResource[] = await resources.page({ ...listing, after, fromEnd: false, limit: stepSize })
      if (found.length > 0) yield await withAttachments(kind, listing.workspace, found)
      const last = found.at(-1)
      if (found.length < stepSize || !last) return
      after = positionOf(last, listing.sort)
    }
  },
})

const stepSize = 500

const StoredPosition = z.union([
  z.strictObject({ name: z.string() }),
  z.strictObject({ createdAt: z.iso.datetime(), seq: z.int() }),
])

function openCursor(cursors: OpaqueCursors, cursor: string, listing: { sort: Sort } & Listing, now: Date): Position {
  const position = StoredPosition.safeParse(cursors.open(cursor, boundTo(listing), now))
  if (!position.success) throw new Failure('cursor_invalid', 'The cursor is not valid for this query.')
  return position.data
}
