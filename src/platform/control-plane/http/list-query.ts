import type { Request } from 'express'
import { z } from 'zod'
import { Sort } from '../../../contract/page.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { pageLimit } from '../../shared/http/page-limit.ts'
import { searchTerm } from '../domain/listing.ts'

export const ListQuery = z.object({
  cursor: z.string().max(2_048).optional(),
  limit: pageLimit(200).optional(),
  sort: Sort.optional(),
  q: z.string().max(200, 'must have at most 200 characters').optional(),
  anchor: z.literal('end').optional(),
})

export function listQuery(req: Request) {
  const { anchor, cursor, q, limit = 50, sort = 'createdAt:desc' } = ListQuery.parse(req.query)
  if (anchor && sort !== 'createdAt:desc') {
    throw new Failure('input_invalid', 'anchor: is supported only for sort createdAt:desc')
  }
  if (anchor && cursor !== undefined) throw new Failure('input_invalid', 'anchor: goes without a cursor')
  return { cursor, limit, sort, q: searchTerm(q), fromEnd: anchor === 'end' }
}
