import { z } from 'zod'
import type { ApprovalQuery } from '../../../../contract/control-plane/approvals.ts'
import type { OpaqueCursors } from '../../../../kit/crypto/opaque-cursor.ts'
import type { Caller } from '../../../shared/domain/caller.ts'
import { Failure } from '../../../shared/domain/failure.ts'
import { type Approval, type ApprovalState, type Approvals, stateOf } from '../../domain/approvals/approval.ts'

type Ports = {
  approvals: Pick<Approvals, 'list'>
  openTo(caller: Caller): Promise<string[]>
  cursors: OpaqueCursors
  now: () => Date
}

export type ListedApproval = Approval & { state: ApprovalState }

export async function readApprovals(
  { approvals, openTo, cursors, now }: Ports,
  caller: Caller,
  { since, connection, cursor, limit }: z.output<typeof ApprovalQuery>,
) {
  const boundTo = `approvals|${caller.id}|${since ?? ''}|${connection ?? ''}`
  const found = await approvals.list({
    workspaces: await openTo(caller),
    since: since === undefined ? undefined : new Date(since),
    connection,
    after: cursor === undefined ? undefined : positionOf(cursors.open(cursor, boundTo, now())),
    limit: limit + 1,
  })
  const data = found
    .slice(0, limit)
    .map((approval): ListedApproval => ({ ...approval, state: stateOf(approval, now()) }))
  const last = data.at(-1)
  const hasMore = found.length > limit
  const nextCursor = hasMore && last ? cursors.seal({ at: last.changedAt.getTime(), id: last.id }, boundTo, now()) : ''
  return { data, hasMore, nextCursor }
}

const Position = z.strictObject({ at: z.int(), id: z.string() })

function positionOf(opened: unknown): { at: Date; id: string } {
  const position = Position.safeParse(opened)
  if (!position.success) throw new Failure('cursor_invalid', 'The cursor is not valid for this query.')
  return { at: new Date(position.data.at), id: position.data.id }
}
