import { z } from 'zod'
import { deployed, input } from '../resource.ts'
import { Drives, IntegrationConnections, WorkloadSpec } from './runtime.ts'

const Spec = WorkloadSpec.extend({
  type: z.string().max(63).default('mcp'),
  integrationConnections: IntegrationConnections,
  drives: Drives,
})

/** An MCP server. */
export const McpFunctionInput = input(Spec)
export type McpFunctionInput = z.input<typeof McpFunctionInput>

export const McpFunction = deployed(Spec)
export type McpFunction = z.infer<typeof McpFunction>
