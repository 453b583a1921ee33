import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import type { Caller, Member } from '../../shared/domain/caller.ts'
import { Failure, workspaceClosed } from '../../shared/domain/failure.ts'
import type { EnterWorkspace, IdentityPorts, Membership, Memberships } from '../domain/ports.ts'

const briefly = { ttlMs: 3_000, capacity: 10_000 }

export const enterWorkspace = ({ memberships }: { memberships: Memberships }): EnterWorkspace => {
  const ofUser = ttlCache(memberships.ofUser, briefly)
  const ofServiceAccount = ttlCache(serviceAccountMemberships(memberships), briefly)
  return async (caller, wanted) => {
    if (caller.kind === 'end_user') return enterAsEndUser(caller, wanted)
    const [known, key] =
      caller.kind === 'user' ? [ofUser, caller.id] : [ofServiceAccount, inWorkspace(caller.id, wanted)]
    // Reads the store again before a rejection, so that a new member does not wait for the cache.
    const found = choose(await known.get(key), wanted) ?? choose(await known.refresh(key), wanted)
    if (found) return { caller, ...found }
    throw wanted === undefined
      ? new Failure('workspace_unnamed', 'Name the workspace in the workspace header.')
      : workspaceClosed()
  }
}

/** Cache key: a service account may have thousands of workspaces, and a request needs one. */
const inWorkspace = (clientId: string, workspace = ''): string => `${clientId} ${workspace}`

const serviceAccountMemberships =
  (memberships: Memberships) =>
  async (key: string): Promise<Membership[]> => {
    const [clientId = '', workspace] = key.split(' ')
    if (!workspace) return memberships.ofServiceAccount(clientId)
    const found = await memberships.ofServiceAccountIn(clientId, workspace)
    return found ? [found] : []
  }

function enterAsEndUser(caller: Caller, wanted: string | undefined): Member {
  if (caller.workspace === undefined || caller.workspace !== wanted) throw workspaceClosed()
  return { caller, workspace: wanted, role: 'member' }
}

/** Missing and closed workspaces get the same error, so that names can't be probed. */
function choose(open: readonly Membership[], wanted: string | undefined): Membership | undefined {
  if (wanted === undefined) return open.length === 1 ? open[0] : undefined
  return open.find(({ workspace }) => workspace === wanted)
}

export async function openWorkspaces({ memberships }: IdentityPorts, { kind, id }: Caller): Promise<string[]> {
  const open = await (kind === 'user' ? memberships.ofUser(id) : memberships.ofServiceAccount(id))
  return open.map(({ workspace }) => workspace)
}
