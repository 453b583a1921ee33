// Which tools of vendors' own MCP servers the agents of a function see, and what waits to be approved.
import { z } from 'zod'
import { JsonValue } from '../json-value.ts'

const Hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be the hash of a list')

/** As the vendor's server describes it. */
const ListedTool = z.record(z.string(), JsonValue)

/** What agents are told: the tools and the server's instructions. The hash is of all of it. */
const Listed = z.object({ hash: Hash, tools: z.array(ListedTool), instructions: z.string().optional() })

/** By the names of tools. */
export const ToolListChange = z.object({
  added: z.array(z.string()),
  removed: z.array(z.string()),
  changed: z.array(z.string()),
  instructionsChanged: z.boolean(),
})
export type ToolListChange = z.infer<typeof ToolListChange>

export const ToolList = z.object({
  connection: z.string(),
  integration: z.string(),
  /** Among the connections of the function that lead to the same integration; the first is 0. */
  position: z.int(),
  /** When the server was last asked. */
  seenAt: z.iso.datetime(),
  /** What agents see. `by` is who approved it, `first listing`, or `policy` where changes are allowed. */
  approved: Listed.extend({ at: z.iso.datetime(), by: z.string() }),
  /** What the server lists now, if that is something else. Its new and changed tools cannot be called. */
  pending: Listed.extend({ since: z.iso.datetime(), change: ToolListChange }).optional(),
})
export type ToolList = z.infer<typeof ToolList>

export const ToolListPage = z.object({ data: z.array(ToolList) })
export type ToolListPage = z.infer<typeof ToolListPage>

/** Which change is approved: one that came since is not, because nobody has looked at it. */
export const ToolListApproval = z.object({
  integration: z.string().min(1).max(64),
  position: z.int().min(0).max(15).default(0),
  hash: Hash,
})
export type ToolListApproval = z.input<typeof ToolListApproval>
