import type { Actor } from '../../shared/domain/audit.ts'
import type { Role } from '../../shared/domain/caller.ts'

export type AccountMember = { userId: string; email: string; role: Role }

/** Whose place is meant: the id of a user, or an address. */
export type AccountPlace = { accountId: string; who: string }

/** `last admin`: nobody could see the costs of the account afterwards, so it was not done. Undefined: nobody is meant. */
export type AccountChanged = AccountMember | 'last admin' | undefined

export type AccountMembers = {
  list(accountId: string): Promise<AccountMember[]>
  /** For people of the account and of its workspaces; without a role they are no members. */
  set(place: AccountPlace, role: Role | undefined, by: Actor): Promise<AccountChanged>
}

/** What an operator does, to anybody: the account by its name. */
export type AccountRoles = {
  set(account: string, email: string, role: Role | undefined): Promise<AccountChanged | 'no member'>
}
