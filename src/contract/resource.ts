import { z } from 'zod'
import { characters } from './characters.ts'

/** Lowercase letters, digits and hyphens; the identifier of a resource in its workspace. */
export const ResourceName = z
  .string()
  .max(49, 'must have at most 49 characters')
  .regex(/^[a-z0-9]+(-+[a-z0-9]+)*$/, 'must be lowercase letters, digits and inner hyphens')

export const DisplayName = characters(63)

export const Labels = z.record(z.string().min(1).max(63), z.string().max(255))

/** What a caller may say about a resource. Members the service sets are dropped, so an answer can be sent back. */
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
 * `grant_revoked`: a connection needs re-linking. `grant_restored`: it works again. `insufficient_scope`: a call needed
 * more than was granted, and whoever wants it has to be re-linked with more. `tools_held`: the vendor's MCP server
 * behind it offers other tools than were approved, which wait for approval. `tools_changed`: it does, and they are shown.
 * `tools_approved`: somebody approved them.
 */
export const grantEventCodes = ['grant_revoked', 'grant_restored'] as const
export const connectionEventCodes = [
  ...grantEventCodes,
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
  /** What happened to which connection, and with which version of its secrets: on events of the type `connection`. */
  code: z.enum(connectionEventCodes).optional(),
  connection: z.string().optional(),
  secretsVersion: z.int().optional(),
  /** Of the list of tools that it is about. */
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

/** What is sent to create or replace a resource. Whatever else the body has is dropped. */
export const input = <Spec extends z.ZodType>(spec: Spec) => z.object({ metadata: MetadataInput, spec })

/** A resource that just is. */
export const plain = <Spec extends z.ZodType>(spec: Spec) => z.object({ metadata: Metadata, spec })

/** A resource that is deployed, and says how that goes. */
export const deployed = <Spec extends z.ZodType>(spec: Spec) =>
  z.object({ metadata: Metadata, spec, events: z.array(CoreEvent), status: DeploymentStatus })

/** What stands in the place of a secret value in every answer. */
export const maskedSecret = '********'
