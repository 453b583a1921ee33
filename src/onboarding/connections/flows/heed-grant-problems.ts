import type { Connection } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { GrantProblem, GrantProblems } from '../../domain/ports/grant-problems.ts'
import { type RecordNeeds, type RecordSettings, recordFinding } from './record-finding.ts'

type Needs = RecordNeeds & { grantProblems: GrantProblems }

const minuteMs = 60 * 1_000

/** Checks have found whatever is older. */
const firstLookMs = 24 * 60 * minuteMs

/** A note may become readable a little after the time it carries. */
const overlapMs = minuteMs

const atOnce = 10

/**
 * Asks the platform which grants failed in calls of agents: they find a revoked grant, or one that lacks a permission,
 * long before the next check would. Returns how many problems were new.
 */
export const heedGrantProblems = (needs: Needs, settings: RecordSettings) => {
  const heeded = new Map<string, Date>()
  let since = new Date(needs.now().getTime() - firstLookMs)
  return async (): Promise<number> => {
    const all = await needs.grantProblems.since(since).catch(noneIfAway)
    const fresh = all.filter((problem) => !heeded.has(keyOf(problem)))
    for (let at = 0; at < fresh.length; at += atOnce) {
      const batch = fresh.slice(at, at + atOnce)
      await heedBatch(needs, settings, batch, since)
      for (const problem of batch) heeded.set(keyOf(problem), problem.at)
    }
    const newest = all.at(-1)
    if (newest) since = new Date(Math.max(since.getTime(), newest.at.getTime() - overlapMs))
    for (const [key, at] of heeded) if (at < since) heeded.delete(key)
    return fresh.length
  }
}

type Pair = { problem: GrantProblem; connection: Connection }

/**
 * The platform is asked again after the ledger was read: a re-link replaces the secrets there first. So what it still
 * says is about the grant that was read here, and what is written is ignored if that is replaced meanwhile.
 */
async function heedBatch(needs: Needs, settings: RecordSettings, batch: GrantProblem[], since: Date) {
  const pairs = (await Promise.all(batch.map((problem) => withConnection(needs, problem)))).flat()
  if (pairs.length === 0) return
  const still = new Set((await needs.grantProblems.since(since)).map(keyOf))
  const current = pairs.filter(({ problem }) => still.has(keyOf(problem)))
  await Promise.all(current.map((pair) => heed(needs, settings, pair)))
}

/** Returns nothing for connections that we did not create: others may use the same platform. */
async function withConnection({ connections }: Needs, problem: GrantProblem): Promise<Pair[]> {
  const connection = await connections.named(problem.workspace, problem.connectionName)
  return connection && connection.status !== 'disconnected' ? [{ problem, connection }] : []
}

async function heed(needs: Needs, settings: RecordSettings, { problem, connection }: Pair): Promise<void> {
  const { cause, scope } = problem
  // It needs a re-link already, which also fixes this; only a wider scope has to be asked for.
  if (connection.status === 'needs_relink' && cause === 'grant_revoked') return
  const finding = { outcome: 'broken', cause, scope, detail: 'a call of the function' } as const
  await recordFinding(needs, settings, { connection, finding, durationMs: 0, isWriteBackDue: false })
}

const keyOf = ({ workspace, connectionName, cause, scope, at }: GrantProblem): string =>
  JSON.stringify([workspace, connectionName, cause, scope, at])

/** That the platform is away is said elsewhere, and what it noted is read when it is back. */
function noneIfAway(error: unknown): GrantProblem[] {
  if (!(error instanceof DependencyError)) throw error
  return []
}
