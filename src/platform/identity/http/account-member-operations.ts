import { z } from 'zod'
import { AccountUser, AccountUserRole } from '../../../contract/control-plane/account.ts'
import type { CallerRequest, Operation } from '../../shared/http/operation.ts'
import type { AccountMember } from '../domain/account-member.ts'
import type { ManageAccountMembers } from '../flows/manage-account-members.ts'

const users = '/accounts/{accountId}/users'
const user = `${users}/{subOrEmail}`
const accountIn = ({ req }: CallerRequest) => String(req.params.accountId)
const whoIn = ({ req }: CallerRequest) => String(req.params.subOrEmail)

export const accountMemberOperations = (members: ManageAccountMembers): Operation[] => [
  {
    method: 'get',
    path: users,
    scope: 'accounts:get',
    summary: 'List the members of an account (its admins)',
    answers: { 200: z.array(AccountUser) },
    handleCaller: async (request) => (await members.list(request.caller, accountIn(request))).map(show),
  },
  {
    method: 'put',
    path: user,
    scope: 'accounts:update',
    summary: 'Make a user of the account or its workspaces a member or an admin of the account (its admins)',
    body: AccountUserRole,
    answers: { 200: AccountUser },
    handleCaller: async (request) => {
      const { role } = AccountUserRole.parse(request.req.body)
      return show(await members.setRole(request.caller, accountIn(request), whoIn(request), role))
    },
  },
  {
    method: 'delete',
    path: user,
    scope: 'accounts:update',
    summary: 'Remove a member of an account; roles in workspaces stay (its admins)',
    answers: { 200: AccountUser },
    handleCaller: async (request) => show(await members.remove(request.caller, accountIn(request), whoIn(request))),
  },
]

const show = ({ userId, email, role }: AccountMember): AccountUser => ({ sub: userId, email, role })
