import type { Request } from 'express'
import { z } from 'zod'
import { Sort } from '../../../contract/page.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { searchTerm } from '../domain/listing.ts'

const Query = z.object({
  cursor: z.string().max(2_048).optional(),
  // Values above the range are clamped, as documented; values below it have no meaning.
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .transform((limit) => Math.min(limit, 200))
    .default(50),
  sort: Sort.default('createdAt:desc'),
  q: z.string().max(200, 'must have at most 200 characters').optional(),
  anchor: z.literal('end').optional(),
})

export type ListQuery = { cursor: string | undefined; limit: number; sort: Sort; q: string; fromEnd: boolean }

export function listQuery(req: Request): ListQuery {
  const { anchor, cursor, q, ...rest } = Query.parse(req.query)
  if (anchor && rest.sort !== 'createdAt:desc') {
    throw new Failure('input_invalid', 'anchor: is supported only for sort createdAt:desc')
  }
  if (anchor && cursor !== undefined) throw new Failure('input_invalid', 'anchor: goes without a cursor')
  return { ...rest, cursor, q: searchTerm(q), fromEnd: anchor === 'end' }
}
