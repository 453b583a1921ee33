import { z } from 'zod'
import { cursorPage } from '../page.ts'
import { Cursor, pageLimit } from '../query.ts'

/**
 * `grant_revoked`: the third party no longer accepts the grant. `insufficient_scope`: the grant is valid but does not
 * cover the call; `scope` is the required scope if the third party reports it (RFC 6750 §3.1). `client_rejected`: the
 * token endpoint rejected the OAuth client of the grant; reported again while it lasts, at most once a minute.
 */
export const GrantProblemCode = z.enum(['grant_revoked', 'insufficient_scope', 'client_rejected'])
export type GrantProblemCode = z.infer<typeof GrantProblemCode>

/** `since` defaults to the start of the retention period. `connection` filters by name. */
export const GrantProblemQuery = z.object({
  since: z.iso.datetime().optional(),
  connection: z.string().max(64).optional(),
  cursor: Cursor.optional(),
  limit: pageLimit(200, 100),
})

/** Covers the current secrets only. Replacing the secrets of a connection clears its problems. */
export const GrantProblem = z.object({
  time: z.iso.datetime(),
  workspace: z.string(),
  connection: z.string(),
  function: z.string(),
  code: GrantProblemCode,
  scope: z.string().max(1_000).optional(),
})
export type GrantProblem = z.infer<typeof GrantProblem>

export const GrantProblemPage = cursorPage(GrantProblem)
export type GrantProblemPage = z.infer<typeof GrantProblemPage>
