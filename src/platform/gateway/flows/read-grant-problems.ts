import type { OpaqueCursors } from '../../../kit/crypto/opaque-cursor.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type GrantProblem, type GrantProblems, ProblemCursor, type ProblemPosition } from '../domain/grant-problem.ts'

type Needs = {
  grantProblems: Pick<GrantProblems, 'list'>
  /** Names of the workspaces that a caller may enter. */
  openTo(caller: Caller): Promise<string[]>
  cursors: OpaqueCursors
  now: () => Date
}

type Query = {
  since?: string | undefined
  connection?: string | undefined
  cursor?: string | undefined
  limit: number
}

export type ReadGrantProblems = ReturnType<typeof readGrantProblems>

/** In every workspace that the caller may enter, so that one question serves whoever looks after many of them. */
export const readGrantProblems =
  ({ grantProblems, openTo, cursors, now }: Needs) =>
  async (caller: Caller, { since, connection, cursor, limit }: Query) => {
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
