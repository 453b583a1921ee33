import { randomUUID } from 'node:crypto'
import type { ResourceCounts, WorkspaceInput } from '../../../contract/control-plane/workspace.ts'
import { describeError } from '../../../kit/process/log.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import { type Caller, type Member, requireAdmin, requireMayMakeAdmins } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { ControlPlanePorts } from '../domain/ports.ts'
import { canBeCalled, nextStatus, type Workspace } from '../domain/workspace.ts'

export async function createWorkspace(
  ports: ControlPlanePorts,
  caller: Caller,
  input: WorkspaceInput,
): Promise<Workspace> {
  if (caller.kind !== 'user') throw new Failure('role_missing', 'Only a user can create workspaces.')
  if (!canBeCalled(input.name)) throw new Failure('name_taken', 'This name is taken.')
  const workspace = newWorkspace(caller, await ports.accountFor(caller, input.accountId), input, ports.now())
  const added = await ports.workspaces.add(workspace, caller.id, actorOf(caller))
  if (!added) throw new Failure('name_taken', 'This name is taken.')
  finish(ports, added).catch((error) => ports.log('workspace.unfinished', { code: describeError(error) }))
  return added
}

export async function listWorkspaces({ workspaces, openTo }: ControlPlanePorts, caller: Caller): Promise<Workspace[]> {
  return workspaces.list(await openTo(caller))
}

export async function findWorkspace(ports: ControlPlanePorts, caller: Caller, name: string): Promise<Workspace> {
  await entered(ports, caller, name)
  return (await ports.workspaces.find(name)) ?? missing()
}

export async function updateWorkspace(
  ports: ControlPlanePorts,
  caller: Caller,
  name: string,
  input: WorkspaceInput,
): Promise<Workspace> {
  requireAdmin(await entered(ports, caller, name))
  const current = (await ports.workspaces.find(name)) ?? missing()
  if (input.name !== name) throw new Failure('input_invalid', 'name may not change.')
  if ((input.accountId ?? current.accountId) !== current.accountId) {
    throw new Failure('input_invalid', 'accountId may not change.')
  }
  if (hasNewAdmins(current.groupMappings, input.groupMappings)) requireMayMakeAdmins(caller)
  const change = { ...input, updatedAt: ports.now(), updatedBy: caller.label }
  return (await ports.workspaces.update(name, change, actorOf(caller))) ?? missing()
}

export async function removeWorkspace(ports: ControlPlanePorts, caller: Caller, name: string): Promise<Workspace> {
  requireAdmin(await entered(ports, caller, name))
  return (await ports.workspaces.remove(name, actorOf(caller))) ?? missing()
}

export async function isNameFree(
  { workspaces, accountsOf }: ControlPlanePorts,
  caller: Caller,
  name: string,
): Promise<boolean> {
  return canBeCalled(name) && workspaces.isFree(name, await accountsOf(caller))
}

export const countResources = ({ workspaces }: ControlPlanePorts, name: string): Promise<ResourceCounts> =>
  workspaces.counts(name)

/** Finishes workspaces of stopped processes. */
export async function finishStranded(ports: ControlPlanePorts): Promise<void> {
  const before = new Date(ports.now().getTime() - 5_000)
  for (const workspace of await ports.workspaces.unready(before)) await finish(ports, workspace)
}

async function finish({ workspaces }: ControlPlanePorts, { name, status }: Workspace): Promise<void> {
  for (let at = status, to = nextStatus(at); to; at = to, to = nextStatus(at)) {
    await workspaces.setStatus(name, at, to)
  }
}

/** A workspace without access for the caller is reported as missing. */
async function entered({ enter }: ControlPlanePorts, caller: Caller, name: string): Promise<Member> {
  return enter(caller, name).catch((error) => {
    throw error instanceof Failure ? unknown() : error
  })
}

type GroupMappings = Workspace['groupMappings']

const hasNewAdmins = (current: GroupMappings, wanted: GroupMappings = []): boolean => {
  const admins = (mappings: GroupMappings) =>
    mappings.flatMap(({ groupName, role }) => (role === 'admin' ? groupName : []))
  return admins(wanted).some((name) => !admins(current).includes(name))
}

const unknown = () => new Failure('resource_unknown', 'No workspace has this name.')

function missing(): never {
  throw unknown()
}

function newWorkspace(caller: Caller, accountId: string, input: WorkspaceInput, now: Date): Workspace {
  return {
    id: randomUUID(),
    name: input.name,
    displayName: input.displayName ?? input.name,
    accountId,
    region: input.region ?? 'local',
    labels: input.labels ?? {},
    groupMappings: input.groupMappings ?? [],
    runtime: input.runtime ?? {},
    status: 'created',
    statusReason: null,
    createdAt: now,
    updatedAt: now,
    createdBy: caller.label,
    updatedBy: caller.label,
  }
}
