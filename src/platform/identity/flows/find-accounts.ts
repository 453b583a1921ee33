import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Account, Accounts } from '../domain/ports.ts'

export type FindAccounts = ReturnType<typeof findAccounts>

export const findAccounts = ({ accounts }: { accounts: Accounts }) => {
  const list = (caller: Caller): Promise<Account[]> =>
    caller.kind === 'user' ? accounts.ofUser(caller.id) : accounts.ofServiceAccount(caller.id)
  const find = async (caller: Caller, id: string): Promise<Account> => {
    const found = (await list(caller)).find((account) => account.id === id)
    if (!found) throw new Failure('resource_unknown', 'No account has this id.')
    return found
  }
  return {
    list,
    find,
    /** The account for a new workspace: the one that is named, or the caller's first. */
    async forCreation(caller: Caller, wanted: string | undefined): Promise<string> {
      if (wanted !== undefined) return (await find(caller, wanted)).id
      const [first] = await list(caller)
      if (!first) throw new Failure('role_missing', 'You do not belong to an account.')
      return first.id
    },
  }
}
