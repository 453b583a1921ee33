import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Caller, Member } from '../../shared/domain/caller.ts'
import { Failure, workspaceClosed } from '../../shared/domain/failure.ts'
import type { Membership, Memberships } from '../domain/ports.ts'

/** Names the workspace a request is about and the role the caller has there, or refuses. */
export type EnterWorkspace = (caller: Caller, workspace: string | undefined) => Promise<Member>

const briefly = { ttlMs: 3_000, capacity: 10_000 }

export const enterWorkspace = ({ memberships }: { memberships: Memberships }): EnterWorkspace => {
  const ofUser = ttlCache(memberships.ofUser, briefly)
  const ofServiceAccount = ttlCache(memberships.ofServiceAccount, briefly)
  return async (caller, wanted) => {
    if (caller.kind === 'end_user') return enterAsEndUser(caller, wanted)
    const known = caller.kind === 'user' ? ofUser : ofServiceAccount
    // A new member does not have to wait for the cache to expire: before a refusal, the store is asked again.
    const found = choose(await known.get(caller.id), wanted) ?? choose(await known.refresh(caller.id), wanted)
    if (found) return { caller, ...found }
    throw wanted === undefined
      ? new Failure('workspace_unnamed', 'Name the workspace in the workspace header.')
      : workspaceClosed()
  }
}

/** No member of it, and known at one function of it alone. */
function enterAsEndUser(caller: Caller, wanted: string | undefined): Member {
  if (caller.workspace === undefined || caller.workspace !== wanted) throw workspaceClosed()
  return { caller, workspace: wanted, role: 'member' }
}

/** A workspace that does not exist is refused like one that is closed, so nobody learns which names are taken. */
function choose(open: readonly Membership[], wanted: string | undefined): Membership | undefined {
  if (wanted === undefined) return open.length === 1 ? open[0] : undefined
  return open.find(({ workspace }) => workspace === wanted)
}

/** Names of the workspaces that a caller may enter, as they are now. */
export const openWorkspaces =
  ({ memberships }: { memberships: Memberships }) =>
  async ({ kind, id }: Caller): Promise<string[]> => {
    const open = await (kind === 'user' ? memberships.ofUser(id) : memberships.ofServiceAccount(id))
    return open.map(({ workspace }) => workspace)
  }
