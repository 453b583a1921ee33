// Which tools the operator offers, and how often each may be called.
import { z } from 'zod'
import { WorkspaceName } from '../../../contract/headers.ts'
import { IntegrationId } from '../../../contract/integrations/product.ts'

/** Vendors' own MCP servers have longer names than profiles. */
const ToolName = z.string().min(1).max(256)
const ToolNames = z.array(ToolName).max(500)

/** What it names it is about; a rule that names neither is about every function. */
export const ToolRule = z.strictObject({
  integration: IntegrationId.optional(),
  workspace: WorkspaceName.optional(),
  /** Only these; several rules that say so allow what all of them do. */
  allow: ToolNames.optional(),
  deny: ToolNames.optional(),
  /** Only tools that change nothing, and of the tool for any request only GET. */
  readOnly: z.boolean().optional(),
  /** Calls of one tool of one function in a minute; `*` is every tool that is not named. */
  perMinute: z.record(ToolName, z.int().min(1)).optional(),
})
export type ToolRule = z.infer<typeof ToolRule>

export const ToolPolicyFile = z.strictObject({ rules: z.array(ToolRule).max(10_000) })

export type ToolPolicy = {
  isOffered(tool: string, readsOnly: boolean): boolean
  isReadOnly: boolean
  /** The strictest of those that apply; undefined is no limit of the operator's. */
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
