import { z } from 'zod'
import {
  WorkspaceAvailabilityInput,
  Workspace as WorkspaceDocument,
  WorkspaceInput,
  WorkspaceQuery,
} from '../../../contract/control-plane/workspace.ts'
import { assertKnownMembers } from '../../shared/http/known-members.ts'
import type { CallerRequest, Operation } from '../../shared/http/operation.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import type { Workspace } from '../domain/workspace.ts'
import {
  countResources,
  createWorkspace,
  findWorkspace,
  isNameFree,
  listWorkspaces,
  removeWorkspace,
  updateWorkspace,
} from '../flows/manage-workspaces.ts'

function workspaceIn(body: unknown): WorkspaceInput {
  assertKnownMembers(WorkspaceDocument, body)
  return WorkspaceInput.parse(body)
}

const one = '/workspaces/{workspaceName}'
const nameIn = ({ req }: CallerRequest) => String(req.params.workspaceName)

export function workspaceOperations(ports: ControlPlanePorts): Operation[] {
  return [
    {
      method: 'post',
      path: '/workspaces',
      scope: 'workspaces:create',
      summary: 'Create a workspace',
      body: WorkspaceInput,
      answers: { 200: WorkspaceDocument },
      handleCaller: async ({ caller, req }) => show(await createWorkspace(ports, caller, workspaceIn(req.body))),
    },
    {
      method: 'get',
      path: '/workspaces',
      scope: 'workspaces:list',
      summary: 'List the workspaces that the caller may enter',
      answers: { 200: z.array(WorkspaceDocument) },
      handleCaller: async ({ caller }) => (await listWorkspaces(ports, caller)).map(show),
    },
    {
      method: 'post',
      path: '/workspaces/availability',
      scope: 'workspaces:create',
      summary: 'Check whether a name is available',
      body: WorkspaceAvailabilityInput,
      answers: { 200: z.boolean() },
      handleCaller: async ({ caller, req }) =>
        isNameFree(ports, caller, WorkspaceAvailabilityInput.parse(req.body).name),
    },
    {
      method: 'get',
      path: one,
      scope: 'workspaces:get',
      summary: 'Read a workspace; countResources=true adds resource counts',
      query: WorkspaceQuery,
      answers: { 200: WorkspaceDocument },
      handleCaller: async (request) => {
        const found = show(await findWorkspace(ports, request.caller, nameIn(request)))
        if (!WorkspaceQuery.parse(request.req.query).countResources) return found
        return { ...found, resourceCounts: await countResources(ports, found.name) }
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
        show(await updateWorkspace(ports, request.caller, nameIn(request), workspaceIn(request.req.body))),
    },
    {
      method: 'delete',
      path: one,
      scope: 'workspaces:delete',
      summary: 'Delete a workspace and all its resources',
      answers: { 200: WorkspaceDocument },
      handleCaller: async (request) => show(await removeWorkspace(ports, request.caller, nameIn(request))),
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
