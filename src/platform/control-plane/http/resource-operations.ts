import type { Request } from 'express'
import { type Member, requireAdmin } from '../../shared/domain/caller.ts'
import type { MemberRequest, Operation } from '../../shared/http/operation.ts'
import type { Kind } from '../domain/kind.ts'
import type { Resource, ResourceKey } from '../domain/resource.ts'
import type { CreateResource } from '../flows/create-resource.ts'
import type { DeleteResource } from '../flows/delete-resource.ts'
import type { FindResource } from '../flows/find-resource.ts'
import type { UpdateResource } from '../flows/update-resource.ts'
import { assertKnownResource } from './known-members.ts'
import { type ListFlows, listOperation } from './list-operation.ts'
import type { Show } from './resource-document.ts'

export type ResourceFlows = ListFlows & {
  createResource: CreateResource
  findResource: FindResource
  updateResource: UpdateResource
  deleteResource: DeleteResource
  now: () => Date
}

/** The five operations that every kind has, written once. */
export function resourceOperations(kind: Kind, flows: ResourceFlows, show: Show): Operation[] {
  const one = `${kind.path}/{${kind.param}}`
  const writers = kind.adminWrites && { adminOnly: kind.adminWrites }
  return [
    {
      method: 'post',
      path: kind.path,
      scope: `${kind.scope}:create`,
      ...writers,
      summary: `Create a ${kind.name}`,
      body: kind.input,
      answers: { 200: kind.document },
      handle: async ({ member, req }) => {
        assertKnownResource(kind.document, req.body)
        const input = kind.input.parse(req.body)
        return show(kind, await flows.createResource(kind, member, parentOf(kind, req), input))
      },
    },
    listOperation(kind, { path: kind.path, parentOf: (req) => parentOf(kind, req) }, flows, show),
    {
      method: 'get',
      path: one,
      scope: `${kind.scope}:get`,
      summary: `Read a ${kind.name}`,
      ...(kind.query && { query: kind.query }),
      answers: { 200: kind.document },
      handle: async (request) => show(kind, await find(kind, flows, request)),
    },
    {
      method: 'put',
      path: one,
      scope: `${kind.scope}:${kind.putScope ?? 'update'}`,
      ...writers,
      summary: `Update a ${kind.name}`,
      body: kind.input,
      answers: { 200: kind.document },
      handle: async ({ member, req }) => {
        assertKnownResource(kind.document, req.body)
        const input = kind.input.parse(req.body)
        return show(kind, await flows.updateResource(kind, member, keyOf(kind, member, req), input))
      },
    },
    {
      method: 'delete',
      path: one,
      scope: `${kind.scope}:delete`,
      ...writers,
      summary: `Delete a ${kind.name}`,
      answers: { 200: kind.deleteResponse?.document ?? kind.document },
      handle: async ({ member, req }) => {
        const deleted = show(kind, await flows.deleteResource(kind, member, keyOf(kind, member, req)))
        return kind.deleteResponse?.of(deleted, flows.now()) ?? deleted
      },
    },
  ]
}

async function find(kind: Kind, { findResource }: ResourceFlows, { member, req }: MemberRequest): Promise<Resource> {
  const key = keyOf(kind, member, req)
  if (!kind.query?.parse(req.query).show_secrets) return findResource.masked(kind, key)
  requireAdmin(member)
  return findResource.withSecrets(kind, key)
}

const keyOf = (kind: Kind, { workspace }: Member, req: Request): ResourceKey => ({
  workspace,
  kind: kind.name,
  parent: parentOf(kind, req),
  name: String(req.params[kind.param]),
})

const parentOf = ({ parents = [] }: Kind, req: Request): string =>
  parents.map(({ param }) => String(req.params[param])).join('/')
