import { z } from 'zod'
import { WorkspaceName } from '../../../contract/headers.ts'
import { IntegrationId } from '../../../contract/integrations/product.ts'

/** Tools of vendors' MCP servers have longer names than tools of profiles. */
const ToolName = z.string().min(1).max(256)
const ToolNames = z.array(ToolName).max(500)

/** Applies to the named integration and workspace; without either, to all functions. */
export const ToolRule = z.strictObject({
  integration: IntegrationId.optional(),
  workspace: WorkspaceName.optional(),
  /** If several rules have `allow`, a tool must be in all of them. */
  allow: ToolNames.optional(),
  deny: ToolNames.optional(),
  /** Only tools that change nothing; the request tool may only GET. */
  readOnly: z.boolean().optional(),
  /** Calls per minute of one tool of one function; `*` applies to tools without their own limit. */
  perMinute: z.record(ToolName, z.int().min(1)).optional(),
})
export type ToolRule = z.infer<typeof ToolRule>

export const ToolPolicyFile = z.strictObject({ rules: z.array(ToolRule).max(10_000) })

export type ToolPolicy = {
  isOffered(tool: string, readsOnly: boolean): boolean
  isReadOnly: boolean
  perMinute(tool: string): number | undefined
}

export function policyFor(rules: readonly ToolRule[], at: { integration: string; workspace: string }): ToolPolicy {
  const applying = rules.filter(
    ({ integration, workspace }) =>
      (integration ?? at.integration) === at.integration && (workspace ?? at.workspace) === at.workspace,
  )
  const isReadOnly = applying.some(({ readOnly }) => readOnly === true)
  return {
    isReadOnly,
    isOffered: (tool, readsOnly) =>
      (readsOnly || !isReadOnly) &&
      applying.every(({ allow, deny }) => (allow?.includes(tool) ?? true) && !deny?.includes(tool)),
    perMinute(tool) {
      const limits = applying.flatMap(({ perMinute }) => perMinute?.[tool] ?? perMinute?.['*'] ?? [])
      return limits.length === 0 ? undefined : Math.min(...limits)
    },
  }
}
