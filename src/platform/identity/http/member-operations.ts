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

const one = '/workspaces/:workspaceName'
const users = `${one}/users`
const user = `${users}/:subOrEmail`
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
    schemas: { answer: z.array(WorkspaceUser) },
    answerCaller: async (request) => (await members.list(request.caller, workspaceIn(request))).map(showMember),
  },
  {
    method: 'post',
    path: users,
    scope: 'workspaces:invite',
    summary: 'Invite somebody into a workspace (its admins)',
    schemas: { body: WorkspaceUserInput, answer: WorkspaceUser },
    answerCaller: async (request) => {
      const input = WorkspaceUserInput.parse(request.req.body)
      return showMember(await members.invite(request.caller, workspaceIn(request), input))
    },
  },
  {
    method: 'put',
    path: user,
    scope: 'workspaces:update',
    summary: 'Change the role of a member (admins of the workspace)',
    schemas: { body: WorkspaceUserRole, answer: WorkspaceUser },
    answerCaller: async (request) => {
      const { role } = WorkspaceUserRole.parse(request.req.body)
      return showMember(await members.setRole(request.caller, workspaceIn(request), whoIn(request), role))
    },
  },
  {
    method: 'delete',
    path: user,
    scope: 'workspaces:remove',
    summary: 'Remove a member, or take an invitation back (admins of the workspace)',
    schemas: { answer: WorkspaceUser },
    answerCaller: async (request) =>
      showMember(await members.remove(request.caller, workspaceIn(request), whoIn(request))),
  },
  {
    method: 'delete',
    path: `${one}/leave`,
    scope: 'workspaces:leave',
    summary: 'Leave a workspace',
    schemas: { answer: WorkspaceUser },
    answerCaller: async (request) => showMember(await members.leave(request.caller, workspaceIn(request))),
  },
]

const ownInvitations = (members: ManageMembers): Operation[] => [
  {
    method: 'get',
    path: '/profile/invitations',
    scope: 'invitations:list',
    summary: 'List the invitations of the caller',
    schemas: { answer: z.array(PendingInvitation) },
    answerCaller: async ({ caller }) => (await members.invitations(caller)).map(showInvitation),
  },
  {
    method: 'post',
    path: `${one}/join`,
    scope: 'workspaces:accept',
    summary: 'Accept an invitation',
    schemas: { answer: WorkspaceUser },
    answerCaller: async (request) => showMember(await members.accept(request.caller, workspaceIn(request))),
  },
  {
    method: 'post',
    path: `${one}/decline`,
    scope: 'workspaces:decline',
    summary: 'Decline an invitation',
    schemas: { answer: PendingInvitation },
    answerCaller: async (request) => showInvitation(await members.decline(request.caller, workspaceIn(request))),
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
