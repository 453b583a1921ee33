import { actorOf } from '../../shared/domain/audit.ts'
import { type Caller, type Role, requireMayMakeAdmins } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { AccountMember, AccountMemberChange, AccountMembers } from '../domain/account-member.ts'
import type { FindAccounts } from './find-accounts.ts'

export type ManageAccountMembers = ReturnType<typeof manageAccountMembers>

type Needs = { accountMembers: AccountMembers; accounts: Pick<FindAccounts, 'find'> }

/** All of it is for the admins of the account; somebody else's account is as missing as any. */
export const manageAccountMembers = ({ accountMembers, accounts }: Needs) => {
  const admin = async (caller: Caller, accountId: string): Promise<void> => {
    const { role } = await accounts.find(caller, accountId)
    if (role !== 'admin') throw new Failure('role_missing', 'This needs the account admin role.')
  }
  const set = async (caller: Caller, accountId: string, who: string, role: Role | undefined) => {
    await admin(caller, accountId)
    if (role === 'admin') requireMayMakeAdmins(caller)
    const changed = await accountMembers.set({ accountId, who }, role, actorOf(caller))
    return settledMember(changed, 'There is no user with this id or address in this account.')
  }
  return {
    async list(caller: Caller, accountId: string): Promise<AccountMember[]> {
      await admin(caller, accountId)
      return accountMembers.list(accountId)
    },
    setRole: (caller: Caller, accountId: string, who: string, role: Role) => set(caller, accountId, who, role),
    remove: (caller: Caller, accountId: string, who: string) => set(caller, accountId, who, undefined),
  }
}

export function settledMember(changed: AccountMemberChange, unknown: string): AccountMember {
  if (changed === undefined) throw new Failure('resource_unknown', unknown)
  if (changed === 'last admin') throw new Failure('resource_in_use', 'An account needs an admin: name another first.')
  return changed
}
