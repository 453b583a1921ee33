import { z } from 'zod'

/** Recursive, so documents need a name for it. */
export const JsonValue = z.json().register(z.globalRegistry, { id: 'JsonValue', description: 'Any JSON value.' })

/** Counts code points, like JSON Schema. */
export const characters = (max: number) =>
  z
    .string()
    .refine((text) => text.length <= max || [...text].length <= max, `must have at most ${max} characters`)
    .meta({ maxLength: max })

export const ResourceName = z
  .string()
  .max(49, 'must have at most 49 characters')
  .regex(/^[a-z0-9]+(-+[a-z0-9]+)*$/, 'must be lowercase letters, digits and inner hyphens')

export const DisplayName = characters(63)

export const Labels = z.record(z.string().min(1).max(63), z.string().max(255))

/** Members set by the service are dropped, so a response can be sent back as a request. */
export const MetadataInput = z.object({
  name: ResourceName,
  displayName: DisplayName.optional(),
  labels: Labels.optional(),
})
export type MetadataInput = z.infer<typeof MetadataInput>

export const Metadata = z.object({
  name: z.string(),
  displayName: z.string(),
  labels: z.record(z.string(), z.string()),
  workspace: z.string(),
  createdAt: z.iso.datetime(),
  updatedAt: z.iso.datetime(),
  createdBy: z.string(),
  updatedBy: z.string(),
  plan: z.string().optional(),
  url: z.url().optional(),
})
export type Metadata = z.infer<typeof Metadata>

/**
 * `grant_revoked`: the connection needs re-linking. `grant_restored`: it works again. `insufficient_scope`: a call needed
 * a scope that was not granted. `tools_held`: tools of the vendor's MCP server changed and wait for approval.
 * `tools_changed`: tools changed and are shown. `tools_approved`: a change was approved.
 */
const connectionEventCodes = [
  'grant_revoked',
  'grant_restored',
  'insufficient_scope',
  'tools_held',
  'tools_changed',
  'tools_approved',
] as const

export const CoreEvent = z.object({
  canaryRevision: z.string(),
  message: z.string(),
  revision: z.string(),
  status: z.string(),
  time: z.iso.datetime(),
  type: z.string(),
  /** These members are set on events of type `connection`. */
  code: z.enum(connectionEventCodes).optional(),
  connection: z.string().optional(),
  secretsVersion: z.int().optional(),
  toolListHash: z.string().optional(),
})
export type CoreEvent = z.infer<typeof CoreEvent>

export const deploymentStatuses = [
  'DELETING',
  'TERMINATED',
  'FAILED',
  'DEACTIVATED',
  'DEACTIVATING',
  'UPLOADING',
  'BUILDING',
  'DEPLOYING',
  'DEPLOYED',
  'BUILT',
] as const

export const DeploymentStatus = z.enum(deploymentStatuses)
export type DeploymentStatus = z.infer<typeof DeploymentStatus>

export const input = <Spec extends z.ZodType>(spec: Spec) => z.object({ metadata: MetadataInput, spec })

export const plain = <Spec extends z.ZodType>(spec: Spec) => z.object({ metadata: Metadata, spec })

/** The service adds events, without a status. */
export const noted = <Spec extends z.ZodType>(spec: Spec) => plain(spec).extend({ events: z.array(CoreEvent) })

export const deployed = <Spec extends z.ZodType>(spec: Spec) =>
  z.object({ metadata: Metadata, spec, events: z.array(CoreEvent), status: DeploymentStatus })

export const maskedSecret = '********'
