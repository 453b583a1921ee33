import { z } from 'zod'
import { Cursor, pageLimit } from '../query.ts'

export const AuditQuery = z.object({ cursor: Cursor.optional(), limit: pageLimit(200, 50) })

/** One change: who made it, with what, and to which resource. */
export const AuditEvent = z.object({
  time: z.iso.datetime(),
  /** `drive.created`, for example. */
  action: z.string(),
  actor: z.object({
    /** `platform` is the service itself, when a clock starts a job. */
    kind: z.enum(['user', 'service_account', 'end_user', 'operator', 'platform']),
    id: z.string(),
    name: z.string(),
    /** Which API key (`key:<id>`), or whose token or session. */
    credential: z.string(),
  }),
  resource: z.object({ kind: z.string(), name: z.string(), id: z.string() }),
  workspace: z.string(),
  requestId: z.string().optional(),
  address: z.string().optional(),
})
export type AuditEvent = z.infer<typeof AuditEvent>

export const AuditPage = z.object({
  data: z.array(AuditEvent),
  meta: z.object({ hasMore: z.boolean(), nextCursor: z.string() }),
})
export type AuditPage = z.infer<typeof AuditPage>
