import { z } from 'zod'
import { CoreEvent, DeploymentStatus, Metadata, MetadataInput, ResourceName } from '../resource.ts'

const Spec = z.object({
  type: z.string().max(63).default('mcp'),
  enabled: z.boolean().default(true),
  /** Names of connections in the same workspace. */
  integrationConnections: z.array(ResourceName).max(16).default([]),
  runtime: z.object({ type: z.string().max(63).default('mcp') }).prefault({}),
})

/** An MCP server. */
export const McpFunctionInput = z.object({ metadata: MetadataInput, spec: Spec })
export type McpFunctionInput = z.input<typeof McpFunctionInput>

export const McpFunction = z.object({
  metadata: Metadata,
  spec: Spec,
  events: z.array(CoreEvent),
  status: DeploymentStatus,
})
export type McpFunction = z.infer<typeof McpFunction>
