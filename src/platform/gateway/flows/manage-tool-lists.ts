import { actorOf } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Workloads } from '../domain/connection.ts'
import type { ToolList, ToolLists } from '../domain/vendor/tool-list.ts'

type Ports = { toolLists: ToolLists; workloads: Workloads }

type Approval = { integration: string; position: number; hash: string }

export async function readToolLists(ports: Ports, { workspace }: Member, name: string): Promise<ToolList[]> {
  return ports.toolLists.ofFunction(await functionId(ports, workspace, name))
}

export async function approveTools(
  ports: Ports,
  { workspace, caller }: Member,
  name: string,
  { integration, position, hash }: Approval,
): Promise<ToolList[]> {
  const { toolLists, workloads } = ports
  const id = await functionId(ports, workspace, name)
  const lists = await toolLists.ofFunction(id)
  const list = lists.find((each) => each.integration === integration && each.position === position)
  if (!list) throw new Failure('resource_unknown', 'The function has no tool list for this integration.')
  // Approving twice is a no-op.
  if (list.approved.hash === hash) return lists
  if (!(await toolLists.approve(list, hash, caller.label)))
    throw new Failure('change_outdated', 'The tools have changed again. Review the change before you approve it.')
  await workloads.noteApprovedTools(workspace, name, list.connection, hash, actorOf(caller))
  return toolLists.ofFunction(id)
}

async function functionId({ workloads }: Ports, workspace: string, name: string): Promise<string> {
  const found = await workloads.findFunction(workspace, name)
  if (!found) throw new Failure('resource_unknown', 'No function has this name.')
  return found.id
}
