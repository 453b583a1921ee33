import { z } from 'zod'
import {
  PendingInvitation,
  WorkspaceUser,
  WorkspaceUserInput,
  WorkspaceUserRole,
} from '../../../contract/control-plane/member.ts'
import type { CallerRequest, Operation } from '../../shared/http/operation.ts'
import type { Invitation, WorkspaceMember } from '../domain/member.ts'
import type { ManageMembers } from '../flows/manage-members.ts'

const one = '/workspaces/{workspaceName}'
const users = `${one}/users`
const user = `${users}/{subOrEmail}`
const workspaceIn = ({ req }: CallerRequest) => String(req.params.workspaceName)
const whoIn = ({ req }: CallerRequest) => String(req.params.subOrEmail)

export const memberOperations = (members: ManageMembers): Operation[] => [
  ...workspaceUsers(members),
  ...ownInvitations(members),
]

const workspaceUsers = (members: ManageMembers): Operation[] => [
  {
    method: 'get',
    path: users,
    scope: 'workspaces:get',
    summary: 'List who may enter a workspace, and who is invited',
    answers: { 200: z.array(WorkspaceUser) },
    handleCaller: async (request) => (await members.list(request.caller, workspaceIn(request))).map(showMember),
  },
  {
    method: 'post',
    path: users,
    scope: 'workspaces:invite',
    summary: 'Invite a user into a workspace (its admins)',
    body: WorkspaceUserInput,
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) => {
      const input = WorkspaceUserInput.parse(request.req.body)
      return showMember(await members.invite(request.caller, workspaceIn(request), input))
    },
  },
  {
    method: 'put',
    path: user,
    scope: 'workspaces:update',
    summary: 'Change the role of a member (admins of the workspace)',
    body: WorkspaceUserRole,
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) => {
      const { role } = WorkspaceUserRole.parse(request.req.body)
      return showMember(await members.setRole(request.caller, workspaceIn(request), whoIn(request), role))
    },
  },
  {
    method: 'delete',
    path: user,
    scope: 'workspaces:remove',
    summary: 'Remove a member, or take an invitation back (admins of the workspace)',
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) =>
      showMember(await members.remove(request.caller, workspaceIn(request), whoIn(request))),
  },
  {
    method: 'delete',
    path: `${one}/leave`,
    scope: 'workspaces:leave',
    summary: 'Leave a workspace',
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) => showMember(await members.leave(request.caller, workspaceIn(request))),
  },
]

const ownInvitations = (members: ManageMembers): Operation[] => [
  {
    method: 'get',
    path: '/profile/invitations',
    scope: 'invitations:list',
    summary: 'List the invitations of the caller',
    answers: { 200: z.array(PendingInvitation) },
    handleCaller: async ({ caller }) => (await members.invitations(caller)).map(showInvitation),
  },
  {
    method: 'post',
    path: `${one}/join`,
    scope: 'workspaces:accept',
    summary: 'Accept an invitation',
    answers: { 200: WorkspaceUser },
    handleCaller: async (request) => showMember(await members.accept(request.caller, workspaceIn(request))),
  },
  {
    method: 'post',
    path: `${one}/decline`,
    scope: 'workspaces:decline',
    summary: 'Decline an invitation',
    answers: { 200: PendingInvitation },
    handleCaller: async (request) => showInvitation(await members.decline(request.caller, workspaceIn(request))),
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
