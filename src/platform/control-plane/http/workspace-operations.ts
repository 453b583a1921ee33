import { z } from 'zod'
import {
  WorkspaceAvailabilityInput,
  Workspace as WorkspaceDocument,
  WorkspaceInput,
  WorkspaceQuery,
} from '../../../contract/control-plane/workspace.ts'
import type { CallerRequest, Operation } from '../../shared/http/operation.ts'
import type { Workspace } from '../domain/workspace.ts'
import type { ManageWorkspaces } from '../flows/manage-workspaces.ts'
import { assertKnownMembers } from './known-members.ts'

/** Whatever is answered may be sent back. */
function workspaceIn(body: unknown): WorkspaceInput {
  assertKnownMembers(WorkspaceDocument, body)
  return WorkspaceInput.parse(body)
}

const one = '/workspaces/{workspaceName}'
const nameIn = ({ req }: CallerRequest) => String(req.params.workspaceName)

export function workspaceOperations(workspaces: ManageWorkspaces): Operation[] {
  return [
    {
      method: 'post',
      path: '/workspaces',
      scope: 'workspaces:create',
      summary: 'Create a workspace',
      body: WorkspaceInput,
      answers: { 200: WorkspaceDocument },
      handleCaller: async ({ caller, req }) => show(await workspaces.create(caller, workspaceIn(req.body))),
    },
    {
      method: 'get',
      path: '/workspaces',
      scope: 'workspaces:list',
      summary: 'List the workspaces that the caller may enter',
      answers: { 200: z.array(WorkspaceDocument) },
      handleCaller: async ({ caller }) => (await workspaces.list(caller)).map(show),
    },
    {
      method: 'post',
      path: '/workspaces/availability',
      scope: 'workspaces:create',
      summary: 'Say whether a name is free',
      body: WorkspaceAvailabilityInput,
      answers: { 200: z.boolean() },
      handleCaller: async ({ caller, req }) =>
        workspaces.isFree(caller, WorkspaceAvailabilityInput.parse(req.body).name),
    },
    {
      method: 'get',
      path: one,
      scope: 'workspaces:get',
      summary: 'Read a workspace; with countResources=true also what is in it',
      query: WorkspaceQuery,
      answers: { 200: WorkspaceDocument },
      handleCaller: async (request) => {
        const found = show(await workspaces.find(request.caller, nameIn(request)))
        if (!WorkspaceQuery.parse(request.req.query).countResources) return found
        return { ...found, resourceCounts: await workspaces.counts(found.name) }
      },
    },
    {
      method: 'put',
      path: one,
      scope: 'workspaces:update',
      summary: 'Update a workspace',
      body: WorkspaceInput,
      answers: { 200: WorkspaceDocument },
      handleCaller: async (request) =>
        show(await workspaces.update(request.caller, nameIn(request), workspaceIn(request.req.body))),
    },
    {
      method: 'delete',
      path: one,
      scope: 'workspaces:delete',
      summary: 'Delete a workspace and all that is in it',
      answers: { 200: WorkspaceDocument },
      handleCaller: async (request) => show(await workspaces.remove(request.caller, nameIn(request))),
    },
  ]
}

function show({ statusReason, createdAt, updatedAt, ...rest }: Workspace): WorkspaceDocument {
  return {
    ...rest,
    ...(rest.status === 'error' && { statusReason: statusReason ?? 'unknown' }),
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
  }
}
