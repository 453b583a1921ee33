import { randomUUID } from 'node:crypto'
import type { ResourceCounts, WorkspaceInput } from '../../../contract/control-plane/workspace.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import { type Caller, type Member, requireAdmin, requireMayMakeAdmins } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { canBeCalled, nextStatus, type Workspace, type Workspaces } from '../domain/workspace.ts'

export type ManageWorkspaces = ReturnType<typeof manageWorkspaces>

/** What a caller may enter, and in which accounts. */
export type AccountAccess = {
  enter: (caller: Caller, workspace: string | undefined) => Promise<Member>
  /** Names of the workspaces that a caller may enter. */
  openTo: (caller: Caller) => Promise<string[]>
  /** The account in which a caller may create workspaces. */
  accountFor: (caller: Caller, wanted: string | undefined) => Promise<string>
  accountsOf: (caller: Caller) => Promise<string[]>
}

type Needs = AccountAccess & { workspaces: Workspaces; now: () => Date; log: Log<'workspace.unfinished'> }

export const manageWorkspaces = ({ workspaces, enter, openTo, accountFor, accountsOf, now, log }: Needs) => {
  const member = async (caller: Caller, name: string): Promise<Member> => {
    // Somebody else's workspace is answered like a missing one.
    return enter(caller, name).catch((error) => {
      throw error instanceof Failure ? unknown() : error
    })
  }
  const finish = async (workspace: Workspace) => {
    for (let at = workspace.status, to = nextStatus(at); to; at = to, to = nextStatus(at)) {
      await workspaces.setStatus(workspace.name, at, to)
    }
  }
  return {
    async create(caller: Caller, input: WorkspaceInput): Promise<Workspace> {
      if (caller.kind !== 'user') throw new Failure('role_missing', 'Only a user can create workspaces.')
      if (!canBeCalled(input.name)) throw new Failure('name_taken', 'This name is taken.')
      const accountId = await accountFor(caller, input.accountId)
      const added = await workspaces.add(newWorkspace(caller, accountId, input, now()), caller.id, actorOf(caller))
      if (!added) throw new Failure('name_taken', 'This name is taken.')
      finish(added).catch((error) => log('workspace.unfinished', { code: describeError(error) }))
      return added
    },

    list: async (caller: Caller): Promise<Workspace[]> => workspaces.list(await openTo(caller)),

    async find(caller: Caller, name: string): Promise<Workspace> {
      await member(caller, name)
      return (await workspaces.find(name)) ?? missing()
    },

    async update(caller: Caller, name: string, input: WorkspaceInput): Promise<Workspace> {
      requireAdmin(await member(caller, name))
      const current = (await workspaces.find(name)) ?? missing()
      if (input.name !== name) throw new Failure('input_invalid', 'name may not change.')
      if ((input.accountId ?? current.accountId) !== current.accountId) {
        throw new Failure('input_invalid', 'accountId may not change.')
      }
      if (hasNewAdmins(current.groupMappings, input.groupMappings)) requireMayMakeAdmins(caller)
      const change = { ...input, updatedAt: now(), updatedBy: caller.label }
      return (await workspaces.update(name, change, actorOf(caller))) ?? missing()
    },

    async remove(caller: Caller, name: string): Promise<Workspace> {
      requireAdmin(await member(caller, name))
      return (await workspaces.remove(name, actorOf(caller))) ?? missing()
    },

    /** Whether the caller could create it now: a text that is not a valid name is never free. */
    isFree: async (caller: Caller, name: string): Promise<boolean> =>
      canBeCalled(name) && workspaces.isFree(name, await accountsOf(caller)),

    counts: (name: string): Promise<ResourceCounts> => workspaces.counts(name),

    /** Goes on with those whose process stopped on the way. */
    async finishStranded(): Promise<void> {
      for (const workspace of await workspaces.unready(new Date(now().getTime() - 5_000))) await finish(workspace)
    },
  }
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
