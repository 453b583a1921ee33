// Tools of a vendor's MCP server: those that agents see and those that wait for approval.
import { z } from 'zod'
import { JsonValue } from '../resource.ts'

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be a tool list hash')

const ListedTool = z.record(z.string(), JsonValue)

/** The hash covers the tools and the instructions. */
const Listed = z.object({ hash: Hash, tools: z.array(ListedTool), instructions: z.string().optional() })

const ToolListChange = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
  instructionsChanged: z.boolean(),
})
export const ToolList = z.object({
  connection: z.string(),
  integration: z.string(),
  /** Index among the function's connections to the same integration, from 0. */
  position: z.int(),
  seenAt: z.iso.datetime(),
  /** The list shown to agents. `by` is the approver, `first listing`, or `policy` if changes are allowed. */
  approved: Listed.extend({ at: z.iso.datetime(), by: z.string() }),
  /** The server's current list if it differs. New and changed tools can't be called. */
  pending: Listed.extend({ since: z.iso.datetime(), change: ToolListChange }).optional(),
})
export type ToolList = z.infer<typeof ToolList>

export const ToolListPage = z.object({ data: z.array(ToolList) })
export type ToolListPage = z.infer<typeof ToolListPage>

export const ToolListApproval = z.object({
  integration: z.string().min(1).max(64),
  position: z.int().min(0).max(15).default(0),
  hash: Hash,
})
export type ToolListApproval = z.input<typeof ToolListApproval>
