import { z } from 'zod'
import { cursorPage } from '../page.ts'
import { Cursor, pageLimit } from '../query.ts'

/** `since` filters by the last change, and defaults to the start of the retention period. */
export const ApprovalQuery = z.object({
  since: z.iso.datetime().optional(),
  connection: z.string().max(64).optional(),
  cursor: Cursor.optional(),
  limit: pageLimit(200, 100),
})

/**
 * `waiting`: for a decision. `allowed_once`, `allowed_for_an_hour`: until `expiresAt`. `used`: the call that was
 * allowed once was sent. `expired`: not decided in time, or the permission has ended.
 */
export const ApprovalState = z.enum(['waiting', 'allowed_once', 'allowed_for_an_hour', 'declined', 'used', 'expired'])
export type ApprovalState = z.infer<typeof ApprovalState>

export const ApprovalDecision = z.enum(['once', 'hour', 'decline'])
export type ApprovalDecision = z.infer<typeof ApprovalDecision>

const Person = z.object({ kind: z.string(), id: z.string(), name: z.string() })

/** Arguments are shown only to the people who decide, at `url`, which grants nothing. */
export const Approval = z.object({
  id: z.string(),
  state: ApprovalState,
  /** Set after a decision, and kept after the permission has ended. */
  decision: ApprovalDecision.optional(),
  createdAt: z.iso.datetime(),
  changedAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  workspace: z.string(),
  connection: z.string(),
  function: z.string(),
  tool: z.string(),
  caller: Person,
  decidedBy: Person.optional(),
  url: z.url(),
})
export type Approval = z.infer<typeof Approval>

export const ApprovalPage = cursorPage(Approval)
export type ApprovalPage = z.infer<typeof ApprovalPage>
