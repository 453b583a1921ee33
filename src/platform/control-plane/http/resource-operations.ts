import type { Request, Response } from 'express'
import { z } from 'zod'
import { MetadataInput } from '../../../contract/resource.ts'
import { apiDateOf } from '../../shared/http/api-date.ts'
import type { Operation } from '../../shared/http/operation.ts'
import type { Kind } from '../domain/kind.ts'
import type { Resource } from '../domain/resource.ts'
import type { CreateResource } from '../flows/create-resource.ts'
import type { DeleteResource } from '../flows/delete-resource.ts'
import type { FindResource } from '../flows/find-resource.ts'
import type { ListResources } from '../flows/list-resources.ts'
import type { UpdateResource } from '../flows/update-resource.ts'
import { listQuery } from './list-query.ts'
import { sendArray } from './send-array.ts'

export type ResourceFlows = {
  createResource: CreateResource
  findResource: FindResource
  listResources: ListResources
  updateResource: UpdateResource
  deleteResource: DeleteResource
}

export type Show = (kind: Kind, resource: Resource) => unknown

/** The five operations that every kind has, written once. */
export function resourceOperations(kind: Kind, flows: ResourceFlows, show: Show): Operation[] {
  const Body = z.object({ metadata: MetadataInput, spec: kind.spec })
  const keyOf = (workspace: string, req: Request) => ({
    workspace,
    kind: kind.name,
    parent: '',
    name: String(req.params.name),
  })
  const one = `${kind.path}/:name`
  const writers = kind.adminWrites && { adminOnly: kind.adminWrites }
  return [
    {
      method: 'post',
      path: kind.path,
      scope: `${kind.scope}:create`,
      ...writers,
      summary: `Create a ${kind.name}`,
      answer: async ({ member, req }) => show(kind, await flows.createResource(kind, member, '', Body.parse(req.body))),
    },
    {
      method: 'get',
      path: kind.path,
      scope: `${kind.scope}:list`,
      summary: `List every ${kind.name} of the workspace`,
      answer: ({ member, req, res }) => answerList(kind, flows, show, member.workspace, req, res),
    },
    {
      method: 'get',
      path: one,
      scope: `${kind.scope}:get`,
      summary: `Read a ${kind.name}`,
      answer: async ({ member, req }) => show(kind, await flows.findResource(kind, keyOf(member.workspace, req))),
    },
    {
      method: 'put',
      path: one,
      scope: `${kind.scope}:update`,
      ...writers,
      summary: `Update a ${kind.name}`,
      answer: async ({ member, req }) =>
        show(kind, await flows.updateResource(kind, member, keyOf(member.workspace, req), Body.parse(req.body))),
    },
    {
      method: 'delete',
      path: one,
      scope: `${kind.scope}:delete`,
      ...writers,
      summary: `Delete a ${kind.name}`,
      answer: async ({ member, req }) => show(kind, await flows.deleteResource(kind, keyOf(member.workspace, req))),
    },
  ]
}

async function answerList(
  kind: Kind,
  flows: ResourceFlows,
  show: Show,
  workspace: string,
  req: Request,
  res: Response,
) {
  const listing = { workspace, kind: kind.name, parent: '' }
  const shown = (resources: Resource[]) => resources.map((resource) => show(kind, resource))
  if (kind.listing === 'array' || apiDateOf(res) < '2026-04-28') {
    return sendArray(res, flows.listResources.all({ ...listing, sort: 'createdAt:desc', q: '' }), shown)
  }
  const { data, meta } = await flows.listResources.page({ ...listing, ...listQuery(req) })
  return { data: shown(data), meta }
}
