import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Finding, HealthCheck } from '../../domain/health/health.ts'
import type { Integration } from '../../domain/integration.ts'
import type { ClaimedConnection } from '../../domain/ports/connections.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { crashesWorkers } from '../../domain/retries.ts'
import type { Settings } from '../../domain/settings.ts'
import { nearEnd } from '../../domain/stored-grant.ts'
import { grantEndsSoonEvent } from '../../domain/tenant-event.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { type ConnectionInSight, linkedConnection, type OnConnection, ownConnection } from './own-connection.ts'
import { recordFinding, setAside } from './record-finding.ts'
import { noticeToolChange, undefinedIfAway } from './tool-list.ts'
import { tryConnection, unclear } from './try-connection.ts'

export async function checkHealth(ports: Ports, settings: Settings, input: OnConnection): Promise<HealthCheck> {
  const connection = await linkedConnection(ports, input)
  await limitRate(ports, settings.rates.check, connection.id)
  return checkConnection(ports, settings, connection, input)
}

export async function checkDueConnections(ports: Ports, settings: Settings): Promise<number> {
  const due = await ports.healthChecks.claimDue(batchSize)
  const checked = await Promise.allSettled(due.map((connection) => checkOrSetAside(ports, settings, connection)))
  const broken = checked.find(({ status }) => status === 'rejected')
  if (broken) throw (broken as PromiseRejectedResult).reason // due again after its lease
  return due.length
}

const batchSize = 10

const checkOrSetAside = (ports: Ports, settings: Settings, connection: ClaimedConnection) =>
  crashesWorkers(connection) ? setAside(ports, connection) : checkConnection(ports, settings, connection)

export async function readHealth(
  ports: Pick<Ports, 'connections' | 'healthChecks'>,
  input: ConnectionInSight,
): Promise<ConnectionHealth> {
  const connection = await ownConnection(ports, input)
  return { connection, checks: await ports.healthChecks.history(connection.id) }
}

type ConnectionHealth = { connection: Connection; checks: HealthCheck[] }

async function checkConnection(
  ports: Ports,
  settings: Settings,
  connection: Connection,
  request?: OnConnection,
): Promise<HealthCheck> {
  const integration = ports.integrations.of(connection)
  const startedAt = ports.now().getTime()
  const tried = await tryConnection(ports, settings, connection, integration)
  const durationMs = ports.now().getTime() - startedAt
  if (integration?.mcpUrl !== undefined && tried.finding.outcome === 'healthy')
    await noticeToolChange(ports, connection)
  const finding = await findingOfCalls(ports, connection, tried.finding)
  if (integration && finding.outcome !== 'broken') await warnOfEnd(ports, connection, integration)
  return recordFinding(ports, settings, { ...tried, finding, connection, durationMs, request })
}

async function findingOfCalls({ grantProblems }: Ports, connection: Connection, finding: Finding) {
  if (finding.outcome !== 'healthy' || connection.cause !== 'scope_insufficient') return finding
  const problems = await grantProblems.of(connection).catch(undefinedIfAway)
  if (!problems) return unclear('platform_unavailable').finding
  const refused = problems.find(({ cause }) => cause === 'scope_insufficient')
  return refused ? { outcome: 'broken' as const, cause: refused.cause, scope: refused.scope } : finding
}

/** Counts from when the grant was stored here: the real age of an imported grant is unknown. */
async function warnOfEnd(
  { healthChecks, storedGrants, tokens, now }: Pick<Ports, 'healthChecks' | 'storedGrants' | 'tokens' | 'now'>,
  connection: Connection,
  integration: Integration,
): Promise<void> {
  if (integration.refreshMaxAgeDays === undefined || connection.grantEndsAt || connection.status !== 'active') return
  const grant = await storedGrants.find(connection.id, 'current')
  const endsAt = grant && nearEnd(integration, grant, now())
  if (!endsAt) return
  await healthChecks.warnOfEnd({
    connection,
    endsAt,
    audit: {
      action: 'connection.grant_ends_soon',
      actor: worker,
      ...aboutConnection(connection),
      facts: { endsAt: endsAt.toISOString() },
    },
    event: { id: tokens.id('evt'), ...grantEndsSoonEvent(connection, endsAt) },
  })
}
