import type { Actor } from '../../shared/domain/audit.ts'
import type { Role } from '../../shared/domain/caller.ts'

export type AccountMember = { userId: string; email: string; role: Role }

/** `who`: the id of a user, or an email address. */
export type AccountMemberKey = { accountId: string; who: string }

/** `last admin`: not done, because no admin would be left to see the costs. Undefined if there is no such user. */
export type AccountMemberChange = AccountMember | 'last admin' | undefined

export type AccountMembers = {
  list(accountId: string): Promise<AccountMember[]>
  /** For people of the account and of its workspaces; without a role they are no members. */
  set(key: AccountMemberKey, role: Role | undefined, by: Actor): Promise<AccountMemberChange>
}

/** What an operator does, to anybody: the account by its name. */
export type AccountRoles = {
  set(account: string, email: string, role: Role | undefined): Promise<AccountMemberChange | 'no member'>
}
