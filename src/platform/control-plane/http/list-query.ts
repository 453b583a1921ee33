import type { Request } from 'express'
import { z } from 'zod'
import { Sort } from '../../../contract/page.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { searchTerm } from '../domain/listing.ts'

/** Text that counts: `Number` alone would also take an empty text, hexadecimals and exponents. */
const Limit = z
  .string()
  .regex(/^[0-9]{1,9}$/, 'must be a whole number')
  .transform(Number)
  .refine((limit) => limit >= 1, 'must be at least 1')
  .transform((limit) => Math.min(limit, 200))

export const ListQuery = z.object({
  cursor: z.string().max(2_048).optional(),
  limit: Limit.optional(),
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
