import { z } from 'zod'
import { WorkspaceName } from '../headers.ts'
import { Flag } from '../query.ts'
import { DisplayName, Labels, ResourceName } from '../resource.ts'

export const workspaceStatuses = [
  'created',
  'account_binded',
  'account_configured',
  'workspace_configured',
  'ready',
  'error',
] as const

export const WorkspaceStatus = z.enum(workspaceStatuses)
export type WorkspaceStatus = z.infer<typeof WorkspaceStatus>

const GroupMapping = z.object({ groupName: z.string().min(1).max(255), role: z.enum(['admin', 'member']) })
const Runtime = z.object({ generation: z.enum(['mk2', 'mk3']).optional() })

/** First path segments of the platform, which can't be workspace names. */
export const reservedWorkspaceNames: readonly string[] = [
  'v0',
  'oauth',
  'assets',
  'billing',
  'keys',
  'healthz',
  'readyz',
  'metrics',
  'docs',
  'sandboxes',
]

export const WorkspaceInput = z.object({
  name: ResourceName,
  displayName: DisplayName.optional(),
  accountId: z.string().max(64).optional(),
  region: z.string().max(63).optional(),
  labels: Labels.optional(),
  groupMappings: z.array(GroupMapping).max(200).optional(),
  runtime: Runtime.optional(),
})
export type WorkspaceInput = z.infer<typeof WorkspaceInput>

export const countedResources = [
  'agents',
  'functions',
  'models',
  'sandboxes',
  'policies',
  'jobs',
  'volumes',
  'drives',
  'volumetemplates',
  'integrationconnections',
  'previews',
  'customdomains',
  'serviceaccounts',
  'images',
] as const

export const WorkspaceQuery = z.object({ countResources: Flag })

export const WorkspaceSelection = z.object({ workspace: WorkspaceName.optional() })

export const ResourceCounts = z.record(z.enum(countedResources), z.int())
export type ResourceCounts = z.infer<typeof ResourceCounts>

export const Workspace = z.object({
  id: z.string(),
  name: z.string(),
  displayName: z.string(),
  accountId: z.string(),
  region: z.string(),
  labels: z.record(z.string(), z.string()),
  groupMappings: z.array(GroupMapping),
  runtime: Runtime,
  resourceCounts: ResourceCounts.optional(),
  status: WorkspaceStatus,
  statusReason: z.string().optional(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  createdBy: z.string(),
  updatedBy: z.string(),
})
export type Workspace = z.infer<typeof Workspace>

export const WorkspaceAvailabilityInput = z.object({ name: z.string().max(255) })
