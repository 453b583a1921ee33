import { z } from 'zod'
import { AccountUser, AccountUserRole } from '../../../contract/control-plane/member.ts'
import type { CallerRequest, Operation } from '../../shared/http/operation.ts'
import type { AccountMember } from '../domain/member.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { listAccountMembers, setAccountRole } from '../flows/manage-accounts.ts'

const users = '/accounts/{accountId}/users'
const user = `${users}/{subOrEmail}`
const accountIn = ({ req }: CallerRequest) => String(req.params.accountId)
const keyIn = (request: CallerRequest) => ({
  accountId: accountIn(request),
  who: String(request.req.params.subOrEmail),
})

export const accountMemberOperations = (ports: IdentityPorts): Operation[] => [
  {
    method: 'get',
    path: users,
    scope: 'accounts:get',
    summary: 'List the members of an account (account admins)',
    answers: { 200: z.array(AccountUser) },
    handleCaller: async (request) => (await listAccountMembers(ports, request.caller, accountIn(request))).map(show),
  },
  {
    method: 'put',
    path: user,
    scope: 'accounts:update',
    summary: 'Set the account role of a user of the account or its workspaces (account admins)',
    body: AccountUserRole,
    answers: { 200: AccountUser },
    handleCaller: async (request) => {
      const { role } = AccountUserRole.parse(request.req.body)
      return show(await setAccountRole(ports, request.caller, keyIn(request), role))
    },
  },
  {
    method: 'delete',
    path: user,
    scope: 'accounts:update',
    summary: 'Remove a member from an account and keep workspace roles (account admins)',
    answers: { 200: AccountUser },
    handleCaller: async (request) => show(await setAccountRole(ports, request.caller, keyIn(request), undefined)),
  },
]

const show = ({ userId, email, role }: AccountMember): AccountUser => ({ sub: userId, email, role })
