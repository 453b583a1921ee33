import type { Connection } from '../../domain/connection.ts'
import type { Finding, HealthCheck } from '../../domain/health/health.ts'
import type { ClaimedConnection, Connections, HealthChecks } from '../../domain/ports/connections.ts'
import type { GrantProblems } from '../../domain/ports/grant-problems.ts'
import type { RateLimits } from '../../domain/ports/shared.ts'
import type { KnownToolLists, ToolLists } from '../../domain/ports/tool-lists.ts'
import { crashesWorkers } from '../../domain/retries.ts'
import type { Settings } from '../../domain/settings.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { type ConnectionInSight, liveConnection, type OnConnection, ownConnection } from './own-connection.ts'
import { type RecordNeeds, type RecordSettings, recordFinding, setAside } from './record-finding.ts'
import { noticeToolChange, undefinedIfAway } from './tool-list.ts'
import { type TryNeeds, tryConnection, unclear } from './try-connection.ts'
import { warnOfEnd } from './warn-of-end.ts'

export type CheckNeeds = RecordNeeds &
  TryNeeds & {
    toolLists: ToolLists
    knownToolLists: KnownToolLists
    grantProblems: GrantProblems
    rates: RateLimits
  }

export type CheckSettings = RecordSettings & Pick<Settings, 'connectionPut'>

/** A check on request. */
export const checkHealth =
  (needs: CheckNeeds, settings: CheckSettings & Pick<Settings, 'rates'>) =>
  async (input: OnConnection): Promise<HealthCheck> => {
    const connection = await liveConnection(needs, input)
    await limitRate(needs)(settings.rates.check, connection.id)
    return checkConnection(needs, settings, connection, input)
  }

/** Checks a batch of due connections. Returns how many, so that the caller can continue. */
export const checkDueConnections = (needs: CheckNeeds, settings: CheckSettings) => async (): Promise<number> => {
  const due = await needs.healthChecks.claimDue(batchSize)
  const checked = await Promise.allSettled(due.map((connection) => checkOrSetAside(needs, settings, connection)))
  const broken = checked.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // it is due again when its lease has expired
  return due.length
}

const batchSize = 10

const checkOrSetAside = (needs: CheckNeeds, settings: CheckSettings, connection: ClaimedConnection) =>
  crashesWorkers(connection) ? setAside(needs, connection) : checkConnection(needs, settings, connection)

/** Past checks, newest first. */
export const readHealth =
  (needs: { connections: Connections; healthChecks: HealthChecks }) =>
  async (input: ConnectionInSight): Promise<ConnectionHealth> => {
    const connection = await ownConnection(needs, input)
    return { connection, checks: await needs.healthChecks.history(connection.id) }
  }

export type ConnectionHealth = { connection: Connection; checks: HealthCheck[] }

export async function checkConnection(
  needs: CheckNeeds,
  settings: CheckSettings,
  connection: Connection,
  request?: OnConnection,
): Promise<HealthCheck> {
  const integration = needs.integrations.of(connection)
  const startedAt = needs.now().getTime()
  const tried = await tryConnection(needs, settings, connection, integration)
  const durationMs = needs.now().getTime() - startedAt
  if (integration?.mcpUrl !== undefined && tried.finding.outcome === 'healthy')
    await noticeToolChange(needs)(connection)
  const finding = await findingOfCalls(needs, connection, tried.finding)
  if (integration && finding.outcome !== 'broken') await warnOfEnd(needs)(connection, integration)
  return recordFinding(needs, settings, { ...tried, finding, connection, durationMs, request })
}

/** That its tools are listed does not show that a call which needed more permissions would work now. */
async function findingOfCalls({ grantProblems }: CheckNeeds, connection: Connection, finding: Finding) {
  if (finding.outcome !== 'healthy' || connection.cause !== 'scope_insufficient') return finding
  const problems = await grantProblems.of(connection).catch(undefinedIfAway)
  if (!problems) return unclear('platform_unavailable').finding
  const refused = problems.find(({ cause }) => cause === 'scope_insufficient')
  return refused ? { outcome: 'broken' as const, cause: refused.cause, scope: refused.scope } : finding
}
