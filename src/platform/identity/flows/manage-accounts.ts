import { actorOf } from '../../shared/domain/audit.ts'
import { type Caller, type Role, requireMayMakeAdmins } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { AccountMember, AccountMemberChange, AccountMemberKey } from '../domain/member.ts'
import type { Account, IdentityPorts } from '../domain/ports.ts'

export function listAccounts({ accounts }: IdentityPorts, { kind, id }: Caller): Promise<Account[]> {
  return kind === 'user' ? accounts.ofUser(id) : accounts.ofServiceAccount(id)
}

export async function findAccount(ports: IdentityPorts, caller: Caller, id: string): Promise<Account> {
  const found = (await listAccounts(ports, caller)).find((account) => account.id === id)
  if (!found) throw new Failure('resource_unknown', 'No account has this ID.')
  return found
}

export async function accountForCreation(ports: IdentityPorts, caller: Caller, wanted?: string): Promise<string> {
  if (wanted !== undefined) return (await findAccount(ports, caller, wanted)).id
  const [first] = await listAccounts(ports, caller)
  if (!first) throw new Failure('role_missing', 'You have no account.')
  return first.id
}

export async function listAccountMembers(
  ports: IdentityPorts,
  caller: Caller,
  accountId: string,
): Promise<AccountMember[]> {
  await assertAccountAdmin(ports, caller, accountId)
  return ports.accountMembers.list(accountId)
}

/** An undefined role removes the membership. */
export async function setAccountRole(
  ports: IdentityPorts,
  caller: Caller,
  key: AccountMemberKey,
  role: Role | undefined,
): Promise<AccountMember> {
  await assertAccountAdmin(ports, caller, key.accountId)
  if (role === 'admin') requireMayMakeAdmins(caller)
  const changed = await ports.accountMembers.set(key, role, actorOf(caller))
  return settledMember(changed, 'No user of this account has this ID or email address.')
}

/** Other users' accounts are reported as missing. */
async function assertAccountAdmin(ports: IdentityPorts, caller: Caller, accountId: string): Promise<void> {
  const { role } = await findAccount(ports, caller, accountId)
  if (role !== 'admin') throw new Failure('role_missing', 'This needs the account admin role.')
}

export function settledMember(changed: AccountMemberChange, unknown: string): AccountMember {
  if (changed === undefined) throw new Failure('resource_unknown', unknown)
  if (changed === 'last admin')
    throw new Failure('resource_in_use', 'An account needs an admin: add another one first.')
  return changed
}
