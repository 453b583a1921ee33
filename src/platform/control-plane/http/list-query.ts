import type { Request } from 'express'
import { ListQuery } from '../../../contract/page.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { searchTerm } from '../domain/listing.ts'

export function listQuery(req: Request) {
  const { anchor, cursor, q, limit, sort } = ListQuery.parse(req.query)
  if (anchor && sort !== 'createdAt:desc') {
    throw new Failure('input_invalid', 'anchor: is supported only for sort createdAt:desc')
  }
  if (anchor && cursor !== undefined) throw new Failure('input_invalid', 'anchor: goes without a cursor')
  return { cursor, limit, sort, q: searchTerm(q), fromEnd: anchor === 'end' }
}
