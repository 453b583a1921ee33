import { z } from 'zod'
import type { OpaqueCursors } from '../../../kit/crypto/opaque-cursor.ts'
import type { AuditEvent, AuditTrail } from '../../shared/domain/audit.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'

export type ReadAudit = ReturnType<typeof readAudit>

type Needs = { auditTrail: AuditTrail; cursors: OpaqueCursors; now: () => Date }

export type AuditRequest = { limit: number; cursor: string | undefined }

/** The changes of a workspace, newest first. */
export const readAudit =
  ({ auditTrail, cursors, now }: Needs) =>
  async ({ workspace }: Member, { limit, cursor }: AuditRequest) => {
    const boundTo = `audit|${workspace}`
    const before = cursor === undefined ? undefined : positionOf(cursors.open(cursor, boundTo, now()))
    const found: AuditEvent[] = await auditTrail.ofWorkspace(workspace, before, limit + 1)
    const data = found.slice(0, limit)
    const last = data.at(-1)
    const hasMore = found.length > limit
    return { data, hasMore, nextCursor: hasMore && last ? cursors.seal({ seq: last.seq }, boundTo, now()) : '' }
  }

function positionOf(opened: unknown): number {
  const position = z.strictObject({ seq: z.int() }).safeParse(opened)
  if (!position.success) throw new Failure('cursor_invalid', 'The cursor is not valid for this query.')
  return position.data.seq
}
