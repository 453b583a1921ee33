import {
  type ResourceCounts,
  reservedWorkspaceNames,
  type WorkspaceStatus,
} from '../../../contract/control-plane/workspace.ts'
import { ResourceName } from '../../../contract/resource.ts'
import type { Actor } from '../../shared/domain/audit.ts'

export type Workspace = {
  id: string
  name: string
  displayName: string
  accountId: string
  region: string
  labels: Record<string, string>
  groupMappings: Array<{ groupName: string; role: 'admin' | 'member' }>
  runtime: { generation?: 'mk2' | 'mk3' | undefined }
  status: WorkspaceStatus
  statusReason: string | null
  createdAt: Date
  updatedAt: Date
  createdBy: string
  updatedBy: string
}

export const canBeCalled = (name: string): boolean =>
  ResourceName.safeParse(name).success && !reservedWorkspaceNames.includes(name)

const steps: Partial<Record<WorkspaceStatus, WorkspaceStatus>> = {
  created: 'account_binded',
  account_binded: 'account_configured',
  account_configured: 'workspace_configured',
  workspace_configured: 'ready',
}

export const unreadyStatuses = Object.keys(steps)

export const nextStatus = (status: WorkspaceStatus): WorkspaceStatus | undefined => steps[status]

export type Workspaces = {
  /** Makes the creator admin. Returns undefined if the name is taken; throws if another account released it in the last hour. */
  add(workspace: Workspace, adminId: string, by: Actor): Promise<Workspace | undefined>
  find(name: string): Promise<Workspace | undefined>
  list(names: readonly string[]): Promise<Workspace[]>
  update(
    name: string,
    change: { [Member in keyof Workspace]?: Workspace[Member] | undefined },
    by: Actor,
  ): Promise<Workspace | undefined>
  setStatus(name: string, from: WorkspaceStatus, to: WorkspaceStatus): Promise<void>
  remove(name: string, by: Actor): Promise<Workspace | undefined>
  isFree(name: string, accountIds: readonly string[]): Promise<boolean>
  counts(name: string): Promise<ResourceCounts>
  unready(before: Date): Promise<Workspace[]>
}
