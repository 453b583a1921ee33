import type { Request } from 'express'
import { z } from 'zod'
import { RevisionMetadata } from '../../../contract/control-plane/revisions.ts'
import { ListQuery, listing as listed } from '../../../contract/page.ts'
import { type Member, requireAdmin } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { apiDateOf } from '../../shared/http/api-date.ts'
import { isBeforePages } from '../../shared/http/changes/2026-04-28-paginate-lists.ts'
import { assertKnownResource, droppedMembers } from '../../shared/http/known-members.ts'
import type { MemberRequest, Operation } from '../../shared/http/operation.ts'
import { sendArray } from '../../shared/http/send-array.ts'
import type { Kind, ResourceInput } from '../domain/kind.ts'
import { searchTerm } from '../domain/listing.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'
import { revisedKinds } from '../domain/revisions.ts'
import { createResource } from '../flows/create-resource.ts'
import { allResources, findResource, findWithSecrets, listResources } from '../flows/find-resource.ts'
import { listRevisions } from '../flows/list-revisions.ts'
import { deleteResource, updateResource } from '../flows/update-resource.ts'
import type { Show } from './resource-document.ts'

export function resourceOperations(ports: ControlPlanePorts, kind: Kind, show: Show): Operation[] {
  const one = `${kind.path}/{${kind.param}}`
  const writers = kind.adminWrites && { adminOnly: kind.adminWrites }
  return [
    {
      method: 'post',
      path: kind.path,
      scope: scopeOf(kind, 'create'),
      ...writers,
      summary: `Create a ${kind.name}`,
      body: kind.input,
      answers: { 200: kind.document },
      handle: async ({ member, req }) => {
        const input = inputIn(kind, req)
        return show(kind, await createResource(ports, { kind, member, parent: parentOf(kind, req), input }))
      },
    },
    listOperation(ports, kind, { path: kind.path, parentOf: (req) => parentOf(kind, req) }, show),
    {
      method: 'get',
      path: one,
      scope: scopeOf(kind, 'get'),
      summary: `Read a ${kind.name}`,
      ...(kind.query && { query: kind.query }),
      answers: { 200: kind.document },
      handle: async (request) => show(kind, await find(ports, kind, request)),
    },
    {
      method: 'put',
      path: one,
      scope: scopeOf(kind, kind.putScope ?? 'update'),
      ...writers,
      summary: `Update a ${kind.name}`,
      body: kind.input,
      answers: { 200: kind.document },
      handle: async ({ member, req }) => {
        const input = inputIn(kind, req)
        return show(kind, await updateResource(ports, { kind, member, key: keyOf(kind, member, req), input }))
      },
    },
    {
      method: 'delete',
      path: one,
      scope: scopeOf(kind, 'delete'),
      ...writers,
      summary: `Delete a ${kind.name}`,
      answers: { 200: kind.deleteResponse?.document ?? kind.document },
      handle: async ({ member, req }) => {
        const deleted = show(kind, await deleteResource(ports, { kind, member, key: keyOf(kind, member, req) }))
        return kind.deleteResponse?.of(deleted, ports.now()) ?? deleted
      },
    },
    ...((revisedKinds as readonly string[]).includes(kind.name) ? [revisionsOperation(ports, kind, one)] : []),
  ]
}

const revisionsOperation = (ports: ControlPlanePorts, kind: Kind, one: string): Operation => ({
  method: 'get',
  path: `${one}/revisions`,
  scope: scopeOf(kind, 'get'),
  summary: `List the revisions of a ${kind.name} with an image, newest first`,
  answers: { 200: z.array(RevisionMetadata) },
  handle: ({ member, req }) => listRevisions(ports, kind, keyOf(kind, member, req)),
})

const scopeOf = ({ scope, everyScope }: Kind, action: string): string => `${scope}:${everyScope ?? action}`

function inputIn(kind: Kind, { body }: Request): ResourceInput {
  assertKnownResource(kind.document, body)
  const input = kind.input.parse(body)
  const dropped = droppedMembers(body.spec, input.spec, 'spec')
  return { ...input, dropped: dropped.filter((member) => !kind.assigned?.includes(member.slice('spec.'.length))) }
}

async function find(ports: ControlPlanePorts, kind: Kind, { member, req }: MemberRequest): Promise<Resource> {
  const key = keyOf(kind, member, req)
  if (!kind.query?.parse(req.query).show_secrets) return findResource(ports, kind, key)
  requireAdmin(member)
  return findWithSecrets(ports, kind, key)
}

const keyOf = (kind: Kind, { workspace }: Member, req: Request): ResourceKey => ({
  workspace,
  kind: kind.name,
  parent: parentOf(kind, req),
  name: String(req.params[kind.param]),
})

const parentOf = ({ parents = [] }: Kind, req: Request): string =>
  parents.map(({ param }) => String(req.params[param])).join('/')

type ListAddress = { path: string; parentOf: (req: Request) => string | undefined }

export function listOperation(ports: ControlPlanePorts, kind: Kind, address: ListAddress, show: Show): Operation {
  const shown = (resources: Resource[]) => resources.map((resource) => show(kind, resource))
  const handle = async ({ member: { workspace }, req, res }: MemberRequest) => {
    const listing = { workspace, kind: kind.name, parent: address.parentOf(req) }
    if (kind.listing === 'array' || isBeforePages(apiDateOf(res))) {
      return sendArray(res, allResources(ports, kind, { ...listing, sort: 'createdAt:desc', q: '' }), shown)
    }
    const { data, meta } = await listResources(ports, kind, { ...listing, ...listQuery(req) })
    return { data: shown(data), meta }
  }
  const schemas =
    kind.listing === 'pages'
      ? { query: ListQuery, answers: { 200: listed(kind.document) } }
      : { answers: { 200: z.array(kind.document) } }
  const summary = `List every ${kind.name} of the workspace`
  return { method: 'get', path: address.path, scope: scopeOf(kind, 'list'), summary, ...schemas, handle }
}

function listQuery(req: Request) {
  const { anchor, cursor, q, limit, sort } = ListQuery.parse(req.query)
  if (anchor && sort !== 'createdAt:desc') {
    throw new Failure('input_invalid', 'anchor: is supported only for sort createdAt:desc')
  }
  if (anchor && cursor !== undefined) throw new Failure('input_invalid', 'anchor: must not be combined with cursor')
  return { cursor, limit, sort, q: searchTerm(q), fromEnd: anchor === 'end' }
}
