import type { z } from 'zod'
import type { GrantProblemQuery } from '../../../contract/control-plane/grant-problems.ts'
import type { OpaqueCursors } from '../../../kit/crypto/opaque-cursor.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type GrantProblem, type GrantProblems, ProblemCursor, type ProblemPosition } from '../domain/grant-problem.ts'

type Ports = {
  grantProblems: Pick<GrantProblems, 'list'>
  openTo(caller: Caller): Promise<string[]>
  cursors: OpaqueCursors
  now: () => Date
}

type Query = z.output<typeof GrantProblemQuery>

export async function readGrantProblems(
  { grantProblems, openTo, cursors, now }: Ports,
  caller: Caller,
  { since, connection, cursor, limit }: Query,
) {
  const boundTo = `grant-problems|${caller.id}|${since ?? ''}|${connection ?? ''}`
  const found = await grantProblems.list({
    workspaces: await openTo(caller),
    since: since === undefined ? undefined : new Date(since),
    connection,
    after: cursor === undefined ? undefined : positionOf(cursors.open(cursor, boundTo, now())),
    limit: limit + 1,
  })
  const data = found.slice(0, limit)
  const last = data.at(-1)
  const hasMore = found.length > limit
  return { data, hasMore, nextCursor: hasMore && last ? cursors.seal(positionIn(last), boundTo, now()) : '' }
}

const positionIn = ({ at, connectionId, code }: GrantProblem) => ({ at: at.getTime(), connectionId, code })

function positionOf(opened: unknown): ProblemPosition {
  const position = ProblemCursor.safeParse(opened)
  if (!position.success) throw new Failure('cursor_invalid', 'The cursor is not valid for this query.')
  return { ...position.data, at: new Date(position.data.at) }
}
