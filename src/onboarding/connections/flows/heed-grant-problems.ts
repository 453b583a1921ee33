import { type Connection, isCorrected } from '../../domain/connection.ts'
import { noneIfAway } from '../../domain/dependency-error.ts'
import { areExtras } from '../../domain/linking/scope-choice.ts'
import type { GrantProblem } from '../../domain/ports/connections.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { recordFinding } from './record-finding.ts'
import { rememberMissingScope } from './relink-connection.ts'
import { findingOfClient } from './try-connection.ts'

const minuteMs = 60 * 1_000

const firstLookMs = 24 * 60 * minuteMs

/** A problem may become readable slightly after its timestamp. */
const overlapMs = minuteMs

const atOnce = 10

/** Agents notice problems long before the next check. Returns how many problems were new. */
export const heedGrantProblems = (ports: Ports, settings: Settings) => {
  const heeded = new Map<string, Date>()
  let since = new Date(ports.now().getTime() - firstLookMs)
  return async (): Promise<number> => {
    const all = await ports.grantProblems.since(since).catch(noneIfAway)
    const fresh = all.filter((problem) => !heeded.has(keyOf(problem)))
    for (let at = 0; at < fresh.length; at += atOnce) {
      const batch = fresh.slice(at, at + atOnce)
      await heedBatch(ports, settings, batch, since)
      for (const problem of batch) heeded.set(keyOf(problem), problem.at)
    }
    const newest = all.at(-1)
    if (newest) since = new Date(Math.max(since.getTime(), newest.at.getTime() - overlapMs))
    for (const [key, at] of heeded) if (at < since) heeded.delete(key)
    return fresh.length
  }
}

type Pair = { problem: GrantProblem; connection: Connection }

/** Asks again after reading the ledger: a re-link replaces the secrets on the platform first. */
async function heedBatch(ports: Ports, settings: Settings, batch: GrantProblem[], since: Date) {
  const pairs = (await Promise.all(batch.map((problem) => withConnection(ports, problem)))).flat()
  if (pairs.length === 0) return
  const still = new Set((await ports.grantProblems.since(since)).map(keyOf))
  const current = pairs.filter(({ problem }) => still.has(keyOf(problem)))
  await Promise.all(current.map((pair) => heed(ports, settings, pair)))
}

async function withConnection({ connections }: Ports, problem: GrantProblem): Promise<Pair[]> {
  const connection = await connections.named(problem.workspace, problem.connectionName)
  return connection && connection.status !== 'disconnected' ? [{ problem, connection }] : []
}

async function heed(ports: Ports, settings: Settings, { problem, connection }: Pair): Promise<void> {
  const { cause, scope } = problem
  if (isCorrected(connection, problem)) return
  const integration = ports.integrations.of(connection)
  if (cause === 'scope_insufficient' && scope !== undefined && integration && areExtras(integration, connection, scope))
    return rememberMissingScope(ports, connection, scope)
  const found = { outcome: 'broken', cause, scope, detail: 'a call of the function' } as const
  const finding = await findingOfClient(ports, connection, found)
  // The re-link it needs also fixes this. Only a wider scope must be recorded.
  if (connection.status === 'needs_relink' && cause !== 'scope_insufficient') return
  await recordFinding(ports, settings, { connection, finding, durationMs: 0, isWriteBackDue: false })
}

const keyOf = ({ workspace, connectionName, cause, scope, at }: GrantProblem): string =>
  JSON.stringify([workspace, connectionName, cause, scope, at])
