import { z } from 'zod'
import { cursorPage } from '../page.ts'
import { Cursor, pageLimit } from '../query.ts'

export const AuditQuery = z.object({ cursor: Cursor.optional(), limit: pageLimit(200, 50) })

export const AuditEvent = z.object({
  time: z.iso.datetime(),
  action: z.string(),
  actor: z.object({
    kind: z.enum(['user', 'service_account', 'end_user', 'operator', 'platform']),
    id: z.string(),
    name: z.string(),
    /** The API key (`key:<id>`), or the owner of the token or session. */
    credential: z.string(),
  }),
  resource: z.object({ kind: z.string(), name: z.string(), id: z.string() }),
  workspace: z.string(),
  requestId: z.string().optional(),
  address: z.string().optional(),
})
export type AuditEvent = z.infer<typeof AuditEvent>

export const AuditPage = cursorPage(AuditEvent)
export type AuditPage = z.infer<typeof AuditPage>
