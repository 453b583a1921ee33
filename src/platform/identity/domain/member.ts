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

/** `who`: the id of a user, or an email address. */
export type MemberKey = { workspace: string; who: string }

/** `last admin`: not done, because no admin would be left. Undefined if there is no such member. */
export type MemberChange = WorkspaceMember | 'last admin' | undefined

export type Members = {
  /** Those with a role, then those who are invited. */
  list(workspace: string): Promise<WorkspaceMember[]>
  /** Returns undefined if they are a member already. A second invitation replaces the first. */
  invite(key: MemberKey, role: Role, by: Actor): Promise<WorkspaceMember | undefined>
  setRole(key: MemberKey, role: Role, by: Actor): Promise<MemberChange>
  /** Takes away a membership or an invitation. */
  remove(key: MemberKey, by: Actor): Promise<MemberChange>
  invitationsTo(email: string): Promise<Invitation[]>
  accept(workspace: string, userId: string, by: Actor): Promise<WorkspaceMember | undefined>
  decline(workspace: string, email: string, by: Actor): Promise<Invitation | undefined>
  /** The groups of a user in the directory of an account, all of them. False: there is no such user or account. */
  setGroups(account: string, email: string, groups: readonly string[]): Promise<boolean>
}
