import { LRUCache } from 'lru-cache'
import { maxEntries } from '../../../kit/cache/ttl-cache.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { ClientRejected, type Connection, GrantRevoked, type Workloads } from '../domain/connection.ts'
import type { GrantProblems } from '../domain/grant-problem.ts'
import { ScopeMissing } from '../domain/vendor/vendor-mcp.ts'

type Needs = {
  workloads: Pick<Workloads, 'noteRevokedGrant' | 'noteRestoredGrant' | 'noteMissingScope'>
  grantProblems: Pick<GrantProblems, 'note'>
  log: Log<'grant_status.unrecorded'>
}

type GrantUse = { functionName: string; connection: Connection }

export type GrantNotes = ReturnType<typeof grantNotes>

const maxNoted = 10_000

export const grantNotes = ({ workloads, grantProblems, log }: Needs) => {
  const noted = new LRUCache<string, true>(maxEntries(maxNoted))
  /** The caller already has the tool error; a storage failure must not replace it. */
  const safely = (notes: Promise<void>[]): Promise<void> =>
    Promise.all(notes).then(
      () => undefined,
      (error) => log('grant_status.unrecorded', { code: describeError(error) }),
    )
  const notes = {
    revoked: ({ functionName, connection }: GrantUse): Promise<void> =>
      safely([
        workloads.noteRevokedGrant(connection.workspace, functionName, connection),
        grantProblems.note({ ...problemOf(functionName, connection), code: 'grant_revoked', scope: undefined }),
      ]),

    clientRejected: ({ functionName, connection }: GrantUse): Promise<void> =>
      safely([
        grantProblems.note({ ...problemOf(functionName, connection), code: 'client_rejected', scope: undefined }),
      ]),

    missesScope: ({ functionName, connection }: GrantUse, scope: string | undefined): Promise<void> =>
      safely([
        workloads.noteMissingScope(connection.workspace, functionName, connection),
        grantProblems.note({ ...problemOf(functionName, connection), code: 'insufficient_scope', scope }),
      ]),

    async failed(used: GrantUse, error: unknown): Promise<void> {
      if (error instanceof GrantRevoked) return notes.revoked(used)
      if (error instanceof ScopeMissing) return notes.missesScope(used, error.scope)
      if (error instanceof ClientRejected) return notes.clientRejected(used)
    },

    /** Queries once per function and version of the secrets, not on every call. */
    async restored({ functionName, connection }: GrantUse): Promise<void> {
      const key = `${functionName}|${connection.id}|${connection.version}`
      if (noted.get(key)) return
      noted.set(key, true)
      await workloads
        .noteRestoredGrant(connection.workspace, functionName, connection)
        .catch(() => void noted.delete(key))
    },
  }
  return notes
}

const problemOf = (functionName: string, { id, version }: Connection) => ({ connectionId: id, version, functionName })

export async function withGrantNotes<T>(notes: GrantNotes, used: GrantUse, work: Promise<T>): Promise<T> {
  try {
    const result = await work
    await notes.restored(used)
    return result
  } catch (error) {
    await notes.failed(used, error)
    throw error
  }
}
