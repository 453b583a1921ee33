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

/** Whose place is meant: the id of a user, or an address. */
export type Place = { workspace: string; who: string }

/** `last admin`: nobody could let anybody in afterwards, so it was not done. */
export type Changed = WorkspaceMember | 'last admin' | undefined

export type Members = {
  /** Those with a role, then those who are invited. */
  list(workspace: string): Promise<WorkspaceMember[]>
  /** Undefined for somebody who is a member already. A second invitation replaces the first. */
  invite(place: Place, role: Role, by: Actor): Promise<WorkspaceMember | undefined>
  setRole(place: Place, role: Role, by: Actor): Promise<Changed>
  /** Takes away a membership or an invitation. */
  remove(place: Place, by: Actor): Promise<Changed>
  invitationsTo(email: string): Promise<Invitation[]>
  accept(workspace: string, userId: string, by: Actor): Promise<WorkspaceMember | undefined>
  decline(workspace: string, email: string, by: Actor): Promise<Invitation | undefined>
  /** The groups of a user in the directory of an account, all of them. False: there is no such user or account. */
  setGroups(account: string, email: string, groups: readonly string[]): Promise<boolean>
}
