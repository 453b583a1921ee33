import { z } from 'zod'
import {
  PendingInvitation,
  WorkspaceUser,
  WorkspaceUserInput,
  WorkspaceUserRole,
} from '../../../contract/control-plane/member.ts'
import type { CallerRequest, Operation } from '../../shared/http/operation.ts'
import type { Invitation, WorkspaceMember } from '../domain/member.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import {
  acceptInvitation,
  declineInvitation,
  inviteMember,
  leaveWorkspace,
  listInvitations,
  listMembers,
  removeMember,
  setMemberRole,
} from '../flows/manage-members.ts'

const one = '/workspaces/{workspaceName}'
const users = `${one}/users`
const user = `${users}/{subOrEmail}`
const workspaceIn = ({ req }: CallerRequest) => String(req.params.workspaceName)
const keyIn = (request: CallerRequest) => ({
  workspace: workspaceIn(request),
  who: String(request.req.params.subOrEmail),
})

export const memberOperations = (ports: IdentityPorts): Operation[] => [
  {
    method: 'get',
    path: users,
    scope: 'workspaces:get',
    summary: 'List the members and invitations of a workspace',
    answers: { 200: z.array(WorkspaceUser) },
    handleCaller: async (request) => (await listMembers(ports, request.caller, workspaceIn(request))).map(showMember),
  },
  {
    method: 'post',
    path: users,
    scope: 'workspaces:invite',
    summary: 'Invite a user to a workspace (workspace admins)',
    body: WorkspaceUserInput,
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) => {
      const input = WorkspaceUserInput.parse(request.req.body)
      return showMember(await inviteMember(ports, request.caller, workspaceIn(request), input))
    },
  },
  {
    method: 'put',
    path: user,
    scope: 'workspaces:update',
    summary: 'Change the role of a member (workspace admins)',
    body: WorkspaceUserRole,
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) => {
      const { role } = WorkspaceUserRole.parse(request.req.body)
      return showMember(await setMemberRole(ports, request.caller, keyIn(request), role))
    },
  },
  {
    method: 'delete',
    path: user,
    scope: 'workspaces:remove',
    summary: 'Remove a member or an invitation (workspace admins)',
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) => showMember(await removeMember(ports, request.caller, keyIn(request))),
  },
  {
    method: 'delete',
    path: `${one}/leave`,
    scope: 'workspaces:leave',
    summary: 'Leave a workspace',
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) => showMember(await leaveWorkspace(ports, request.caller, workspaceIn(request))),
  },
  {
    method: 'get',
    path: '/profile/invitations',
    scope: 'invitations:list',
    summary: 'List the invitations of the caller',
    answers: { 200: z.array(PendingInvitation) },
    handleCaller: async ({ caller }) => (await listInvitations(ports, caller)).map(showInvitation),
  },
  {
    method: 'post',
    path: `${one}/join`,
    scope: 'workspaces:accept',
    summary: 'Accept an invitation',
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) => showMember(await acceptInvitation(ports, request.caller, workspaceIn(request))),
  },
  {
    method: 'post',
    path: `${one}/decline`,
    scope: 'workspaces:decline',
    summary: 'Decline an invitation',
    answers: { 200: PendingInvitation },
    handleCaller: async (request) =>
      showInvitation(await declineInvitation(ports, request.caller, workspaceIn(request))),
  },
]

const showMember = ({ userId, email, role, source, workspace }: WorkspaceMember): WorkspaceUser => ({
  ...(userId !== undefined && { sub: userId }),
  email,
  role,
  accepted: source !== 'invitation',
  source,
  workspace,
})

const showInvitation = ({ createdAt, ...rest }: Invitation): PendingInvitation => ({
  ...rest,
  createdAt: createdAt.toISOString(),
})
