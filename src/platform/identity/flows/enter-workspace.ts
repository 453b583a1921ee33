import { briefCache } from '../../../kit/brief-cache.ts'
import type { Caller, Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Membership, Memberships } from '../domain/ports.ts'

/** Names the workspace a request is about and the role the caller has there, or refuses. */
export type EnterWorkspace = (caller: Caller, workspace: string | undefined) => Promise<Member>

const briefly = { ttlMs: 3_000, capacity: 10_000 }

export const enterWorkspace = ({ memberships }: { memberships: Memberships }): EnterWorkspace => {
  const ofUser = briefCache(memberships.ofUser, briefly)
  const ofServiceAccount = briefCache(memberships.ofServiceAccount, briefly)
  return async (caller, workspace) => {
    const open = await (caller.kind === 'user' ? ofUser(caller.id) : ofServiceAccount(caller.id))
    const { workspace: entered, role } = choose(open, workspace)
    return { caller, workspace: entered, role }
  }
}

/** A workspace that does not exist is refused like one that is closed, so nobody learns which names are taken. */
function choose(open: readonly Membership[], wanted: string | undefined) {
  if (wanted === undefined && open.length !== 1) {
    throw new Failure('workspace_unnamed', 'Name the workspace in the workspace header.')
  }
  const found = wanted === undefined ? open[0] : open.find(({ workspace }) => workspace === wanted)
  if (!found) throw new Failure('workspace_closed', 'You may not enter this workspace.')
  return found
}
