import { actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Workloads } from '../domain/connection.ts'
import type { ToolList, ToolLists } from '../domain/vendor/tool-list.ts'

type Needs = {
  toolLists: Pick<ToolLists, 'ofFunction' | 'approve'>
  workloads: Pick<Workloads, 'findFunction' | 'noteApprovedTools'>
}

export type ManageToolLists = ReturnType<typeof manageToolLists>

type Approval = { integration: string; position: number; hash: string }

/** What agents of a function see of vendors' tools, and the approval of what has changed. */
export const manageToolLists = ({ toolLists, workloads }: Needs) => {
  const find = async (workspace: string, name: string) => {
    const found = await workloads.findFunction(workspace, name)
    if (!found) throw new Failure('resource_unknown', 'No function has this name.')
    return found
  }
  const read = async ({ workspace }: Member, name: string): Promise<ToolList[]> =>
    toolLists.ofFunction((await find(workspace, name)).id)
  return {
    read,

    async approve(member: Member, name: string, { integration, position, hash }: Approval): Promise<ToolList[]> {
      const { id } = await find(member.workspace, name)
      const lists = await toolLists.ofFunction(id)
      const list = lists.find((each) => each.integration === integration && each.position === position)
      if (!list) throw new Failure('resource_unknown', 'The function has no list of tools of this integration.')
      // Whoever approves twice has what they asked for.
      if (list.approved.hash === hash) return lists
      if (!(await toolLists.approve(list, hash, member.caller.label)))
        throw new Failure(
          'change_outdated',
          'The tools have changed since. Review the change again before you approve it.',
        )
      await workloads.noteApprovedTools(member.workspace, name, list.connection, hash, actorOf(member.caller))
      return toolLists.ofFunction(id)
    },
  }
}
