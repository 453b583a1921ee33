import type { WorkspaceUserInput } from '../../../contract/control-plane/member.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import { type Caller, type Member, type Role, requireAdmin, requireMayMakeAdmins } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Invitation, MemberChange, Members, WorkspaceMember } from '../domain/member.ts'
import type { EnterWorkspace } from './enter-workspace.ts'

export type ManageMembers = ReturnType<typeof manageMembers>

type Needs = { members: Omit<Members, 'setGroups'>; enter: EnterWorkspace }

export const manageMembers = ({ members, enter }: Needs) => {
  const admin = async (caller: Caller, workspace: string): Promise<void> =>
    requireAdmin(await entered(enter, caller, workspace))
  return {
    async list(caller: Caller, workspace: string): Promise<WorkspaceMember[]> {
      await entered(enter, caller, workspace)
      return members.list(workspace)
    },

    async invite(caller: Caller, workspace: string, { email, role }: WorkspaceUserInput): Promise<WorkspaceMember> {
      await admin(caller, workspace)
      if (role === 'admin') requireMayMakeAdmins(caller)
      const invited = await members.invite({ workspace, who: email }, role, actorOf(caller))
      if (!invited) throw new Failure('name_taken', 'This person is a member already.')
      return invited
    },

    async setRole(caller: Caller, workspace: string, who: string, role: Role): Promise<WorkspaceMember> {
      await admin(caller, workspace)
      if (role === 'admin') requireMayMakeAdmins(caller)
      return settled(await members.setRole({ workspace, who }, role, actorOf(caller)))
    },

    async remove(caller: Caller, workspace: string, who: string): Promise<WorkspaceMember> {
      await admin(caller, workspace)
      return settled(await members.remove({ workspace, who }, actorOf(caller)))
    },

    async leave(caller: Caller, workspace: string): Promise<WorkspaceMember> {
      await entered(enter, person(caller), workspace)
      return settled(await members.remove({ workspace, who: caller.id }, actorOf(caller)))
    },

    invitations: async (caller: Caller): Promise<Invitation[]> => members.invitationsTo(person(caller).label),

    async accept(caller: Caller, workspace: string): Promise<WorkspaceMember> {
      return (await members.accept(workspace, person(caller).id, actorOf(caller))) ?? uninvited()
    },

    async decline(caller: Caller, workspace: string): Promise<Invitation> {
      return (await members.decline(workspace, person(caller).label, actorOf(caller))) ?? uninvited()
    },
  }
}

/** Somebody else's workspace is as missing as any. */
const entered = (enter: EnterWorkspace, caller: Caller, workspace: string): Promise<Member> =>
  enter(caller, workspace).catch((error) => {
    if (!(error instanceof Failure)) throw error
    throw new Failure('resource_unknown', 'No workspace has this name.')
  })

/** The label of a user is their address. */
function person(caller: Caller): Caller {
  if (caller.kind !== 'user') throw new Failure('role_missing', 'Only a person is invited, joins and leaves.')
  return caller
}

function settled(changed: MemberChange): WorkspaceMember {
  if (changed === undefined) throw new Failure('resource_unknown', 'No member has this id or address.')
  if (changed === 'last admin') throw new Failure('resource_in_use', 'A workspace needs an admin: name another first.')
  return changed
}

function uninvited(): never {
  throw new Failure('resource_unknown', 'There is no invitation to this workspace.')
}
