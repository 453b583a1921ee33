// What a call showed about the grant behind it, for the events of the function.
import { LRUCache } from 'lru-cache'
import { atMost } from '../../../kit/cache/ttl-cache.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { type Connection, GrantRevoked, type Workloads } from '../domain/connection.ts'

type Needs = {
  workloads: Pick<Workloads, 'noteRevokedGrant' | 'noteRestoredGrant'>
  log: Log<'grant_status.unrecorded'>
}

type GrantUse = { functionName: string; connection: Connection }

export type GrantNotes = ReturnType<typeof grantNotes>

/** So many are remembered; whatever falls out costs one more look. */
const mostNoted = 10_000

export const grantNotes = ({ workloads, log }: Needs) => {
  const noted = new LRUCache<string, true>(atMost(mostNoted))
  return {
    /** The caller has the tool error already; a store that is down must not replace it. */
    revoked: ({ functionName, connection }: GrantUse): Promise<void> =>
      workloads
        .noteRevokedGrant(connection.workspace, functionName, connection)
        .catch((error) => log('grant_status.unrecorded', { code: describeError(error) })),

    /** Looks once for each function and its secrets, and not at every call. */
    async restored({ functionName, connection }: GrantUse): Promise<void> {
      const key = `${functionName}|${connection.id}|${connection.version}`
      if (noted.get(key)) return
      noted.set(key, true)
      await workloads
        .noteRestoredGrant(connection.workspace, functionName, connection)
        .catch(() => void noted.delete(key))
    },
  }
}

/** Every use of a grant shows whether it is alive. */
export async function withGrantNotes<T>(notes: GrantNotes, used: GrantUse, work: Promise<T>): Promise<T> {
  try {
    const result = await work
    await notes.restored(used)
    return result
  } catch (error) {
    if (error instanceof GrantRevoked) await notes.revoked(used)
    throw error
  }
}
