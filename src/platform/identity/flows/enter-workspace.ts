import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Caller, Member } from '../../shared/domain/caller.ts'
import { Failure, workspaceClosed } from '../../shared/domain/failure.ts'
import type { Membership, Memberships } from '../domain/ports.ts'

/** Names the workspace a request is about and the role the caller has there, or refuses. */
export type EnterWorkspace = (caller: Caller, workspace: string | undefined) => Promise<Member>

const briefly = { ttlMs: 3_000, capacity: 10_000 }

export const enterWorkspace = ({ memberships }: { memberships: Memberships }): EnterWorkspace => {
  const ofUser = ttlCache(memberships.ofUser, briefly)
  const ofServiceAccount = ttlCache(serviceAccountMemberships(memberships), briefly)
  return async (caller, wanted) => {
    if (caller.kind === 'end_user') return enterAsEndUser(caller, wanted)
    const [known, key] =
      caller.kind === 'user' ? [ofUser, caller.id] : [ofServiceAccount, inWorkspace(caller.id, wanted)]
    // A new member does not have to wait for the cache to expire: before a refusal, the store is asked again.
    const found = choose(await known.get(key), wanted) ?? choose(await known.refresh(key), wanted)
    if (found) return { caller, ...found }
    throw wanted === undefined
      ? new Failure('workspace_unnamed', 'Name the workspace in the workspace header.')
      : workspaceClosed()
  }
}

/** The key of a cache: a service account may be in thousands of workspaces, and is asked about one of them. */
const inWorkspace = (clientId: string, workspace = ''): string => `${clientId} ${workspace}`

const serviceAccountMemberships =
  (memberships: Memberships) =>
  async (key: string): Promise<Membership[]> => {
    const [clientId = '', workspace] = key.split(' ')
    if (!workspace) return memberships.ofServiceAccount(clientId)
    const found = await memberships.ofServiceAccountIn(clientId, workspace)
    return found ? [found] : []
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
