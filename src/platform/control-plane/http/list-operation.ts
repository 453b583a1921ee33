import type { Request } from 'express'
import { z } from 'zod'
import { ListQuery, listing as listed } from '../../../contract/page.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { apiDateOf } from '../../shared/http/api-date.ts'
import { isBeforePages } from '../../shared/http/changes/2026-04-28-paginate-lists.ts'
import type { MemberRequest, Operation } from '../../shared/http/operation.ts'
import { sendArray } from '../../shared/http/send-array.ts'
import type { Kind } from '../domain/kind.ts'
import { searchTerm } from '../domain/listing.ts'
import type { Resource } from '../domain/resource.ts'
import type { ListResources } from '../flows/list-resources.ts'
import type { Show } from './resource-document.ts'

export type ListFlows = { listResources: ListResources }

/** `parentOf` returns undefined for a list across all parents. */
type ListAddress = { path: string; parentOf: (req: Request) => string | undefined }

export function listOperation(kind: Kind, address: ListAddress, { listResources }: ListFlows, show: Show): Operation {
  const shown = (resources: Resource[]) => resources.map((resource) => show(kind, resource))
  const handle = async ({ member: { workspace }, req, res }: MemberRequest) => {
    const listing = { workspace, kind: kind.name, parent: address.parentOf(req) }
    if (kind.listing === 'array' || isBeforePages(apiDateOf(res))) {
      return sendArray(res, listResources.all(kind, { ...listing, sort: 'createdAt:desc', q: '' }), shown)
    }
    const { data, meta } = await listResources.page(kind, { ...listing, ...listQuery(req) })
    return { data: shown(data), meta }
  }
  const schemas =
    kind.listing === 'pages'
      ? { query: ListQuery, answers: { 200: listed(kind.document) } }
      : { answers: { 200: z.array(kind.document) } }
  const summary = `List every ${kind.name} of the workspace`
  return { method: 'get', path: address.path, scope: `${kind.scope}:list`, summary, ...schemas, handle }
}

function listQuery(req: Request) {
  const { anchor, cursor, q, limit, sort } = ListQuery.parse(req.query)
  if (anchor && sort !== 'createdAt:desc') {
    throw new Failure('input_invalid', 'anchor: is supported only for sort createdAt:desc')
  }
  if (anchor && cursor !== undefined) throw new Failure('input_invalid', 'anchor: goes without a cursor')
  return { cursor, limit, sort, q: searchTerm(q), fromEnd: anchor === 'end' }
}
