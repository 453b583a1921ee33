// Grants that third parties refused when somebody called a function, for whoever linked them.
import { z } from 'zod'
import { Cursor, pageLimit } from '../query.ts'

/**
 * `grant_revoked`: the third party does not accept the grant any more. `insufficient_scope`: the grant is alive and does
 * not cover what was called; `scope` is what the third party asks for, where it says so (RFC 6750 §3.1).
 */
export const GrantProblemCode = z.enum(['grant_revoked', 'insufficient_scope'])
export type GrantProblemCode = z.infer<typeof GrantProblemCode>

/** Without `since`, all that are still kept. `connection`: of connections of this name alone. */
export const GrantProblemQuery = z.object({
  since: z.iso.datetime().optional(),
  connection: z.string().max(64).optional(),
  cursor: Cursor.optional(),
  limit: pageLimit(200, 100),
})

/** Of secrets that are still in use: a connection whose secrets were replaced has none until its next call. */
export const GrantProblem = z.object({
  time: z.iso.datetime(),
  workspace: z.string(),
  connection: z.string(),
  /** Which function was called. */
  function: z.string(),
  code: GrantProblemCode,
  scope: z.string().max(1_000).optional(),
})
export type GrantProblem = z.infer<typeof GrantProblem>

export const GrantProblemPage = z.object({
  data: z.array(GrantProblem),
  meta: z.object({ hasMore: z.boolean(), nextCursor: z.string() }),
})
export type GrantProblemPage = z.infer<typeof GrantProblemPage>
