import type { WorkspaceUserInput } from '../../../contract/control-plane/member.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import { type Caller, type Member, type Role, requireAdmin, requireMayMakeAdmins } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Invitation, MemberChange, MemberKey, WorkspaceMember } from '../domain/member.ts'
import type { IdentityPorts } from '../domain/ports.ts'

export async function listMembers(ports: IdentityPorts, caller: Caller, workspace: string): Promise<WorkspaceMember[]> {
  await entered(ports, caller, workspace)
  return ports.members.list(workspace)
}

export async function inviteMember(
  ports: IdentityPorts,
  caller: Caller,
  workspace: string,
  { email, role }: WorkspaceUserInput,
): Promise<WorkspaceMember> {
  requireAdmin(await entered(ports, caller, workspace))
  if (role === 'admin') requireMayMakeAdmins(caller)
  const invited = await ports.members.invite({ workspace, who: email }, role, actorOf(caller))
  if (!invited) throw new Failure('name_taken', 'This user is already a member.')
  return invited
}

export async function setMemberRole(
  ports: IdentityPorts,
  caller: Caller,
  key: MemberKey,
  role: Role,
): Promise<WorkspaceMember> {
  requireAdmin(await entered(ports, caller, key.workspace))
  if (role === 'admin') requireMayMakeAdmins(caller)
  return settled(await ports.members.setRole(key, role, actorOf(caller)))
}

export async function removeMember(ports: IdentityPorts, caller: Caller, key: MemberKey): Promise<WorkspaceMember> {
  requireAdmin(await entered(ports, caller, key.workspace))
  return settled(await ports.members.remove(key, actorOf(caller)))
}

export async function leaveWorkspace(
  ports: IdentityPorts,
  caller: Caller,
  workspace: string,
): Promise<WorkspaceMember> {
  await entered(ports, person(caller), workspace)
  return settled(await ports.members.remove({ workspace, who: caller.id }, actorOf(caller)))
}

export async function listInvitations({ members }: IdentityPorts, caller: Caller): Promise<Invitation[]> {
  return members.invitationsTo(person(caller).label)
}

export async function acceptInvitation(
  { members }: IdentityPorts,
  caller: Caller,
  workspace: string,
): Promise<WorkspaceMember> {
  return (await members.accept(workspace, person(caller).id, actorOf(caller))) ?? uninvited()
}

export async function declineInvitation(
  { members }: IdentityPorts,
  caller: Caller,
  workspace: string,
): Promise<Invitation> {
  return (await members.decline(workspace, person(caller).label, actorOf(caller))) ?? uninvited()
}

const entered = ({ enter }: IdentityPorts, caller: Caller, workspace: string): Promise<Member> =>
  enter(caller, workspace).catch((error) => {
    if (!(error instanceof Failure)) throw error
    throw new Failure('resource_unknown', 'No workspace has this name.')
  })

function person(caller: Caller): Caller {
  if (caller.kind !== 'user')
    throw new Failure('role_missing', "Service accounts can't accept or decline invitations or leave.")
  return caller
}

function settled(changed: MemberChange): WorkspaceMember {
  if (changed === undefined) throw new Failure('resource_unknown', 'No member has this ID or email address.')
  if (changed === 'last admin')
    throw new Failure('resource_in_use', 'A workspace needs an admin: add another one first.')
  return changed
}

function uninvited(): never {
  throw new Failure('resource_unknown', 'There is no invitation to this workspace.')
}
