import type { Actor } from '../../shared/domain/audit.ts'
import type { Role } from '../../shared/domain/caller.ts'

export type WorkspaceMember = {
  userId: string | undefined
  email: string
  role: Role
  source: 'invitation' | 'member' | 'group'
  workspace: string
}

export type Invitation = {
  workspace: string
  workspaceDisplayName: string
  email: string
  role: Role
  invitedBy: string
  createdAt: Date
}

export type MemberKey = { workspace: string; who: string }

/** `last admin`: rejected, because no admin would be left. Undefined: no such member. */
export type MemberChange = WorkspaceMember | 'last admin' | undefined

export type Members = {
  list(workspace: string): Promise<WorkspaceMember[]>
  /** Replaces an existing invitation. Returns undefined for a member. */
  invite(key: MemberKey, role: Role, by: Actor): Promise<WorkspaceMember | undefined>
  setRole(key: MemberKey, role: Role, by: Actor): Promise<MemberChange>
  remove(key: MemberKey, by: Actor): Promise<MemberChange>
  invitationsTo(email: string): Promise<Invitation[]>
  accept(workspace: string, userId: string, by: Actor): Promise<WorkspaceMember | undefined>
  decline(workspace: string, email: string, by: Actor): Promise<Invitation | undefined>
  /** Replaces all groups of a user in an account. Returns false for an unknown user or account. */
  setGroups(account: string, email: string, groups: readonly string[]): Promise<boolean>
}

export type AccountMember = { userId: string; email: string; role: Role }

export type AccountMemberKey = { accountId: string; who: string }

/** `last admin`: rejected, because no admin would be left. Undefined: no such user. */
export type AccountMemberChange = AccountMember | 'last admin' | undefined

export type AccountMembers = {
  list(accountId: string): Promise<AccountMember[]>
  /** Only for members of the account or its workspaces. An undefined role removes the membership. */
  set(key: AccountMemberKey, role: Role | undefined, by: Actor): Promise<AccountMemberChange>
}

export type AccountRoles = {
  set(account: string, email: string, role: Role | undefined): Promise<AccountMemberChange | 'no member'>
}
