import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import { type Connection, connectionSnapshot, connectionState } from '../../domain/connection.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { type Finding, type HealthCheck, isBrokenGrant, isHealthUnknown, judgeTry } from '../../domain/health/health.ts'
import { judgeRefusal } from '../../domain/health/refresh-refusal.ts'
import type { Integration } from '../../domain/integration.ts'
import { hasLostWorkers } from '../../domain/link.ts'
import { InsufficientScope, widerScope } from '../../domain/mcp/step-up.ts'
import type {
  ClaimedConnection,
  Connections,
  HealthCheckDraft,
  HealthChecks,
  StoredGrants,
} from '../../domain/ports/connections.ts'
import type { GrantProblems } from '../../domain/ports/grant-problems.ts'
import type { RegisteredClients } from '../../domain/ports/mcp-servers.ts'
import type { Platform } from '../../domain/ports/platform.ts'
import type { Provider } from '../../domain/ports/provider.ts'
import type { Chance, Clock, Integrations, RateLimits, Seal, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { KnownToolLists, ToolLists } from '../../domain/ports/tool-lists.ts'
import type { Settings } from '../../domain/settings.ts'
import { healthUnknownEvent, needsRelinkEvent } from '../../domain/tenant-event.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { causeIfForgotten } from '../../provisioning/flows/forgotten-client.ts'
import { findClient, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { isAccountUntold } from './learn-account.ts'
import { type ConnectionInSight, liveConnection, type OnConnection, ownConnection } from './own-connection.ts'
import { type RefreshResult, refreshAndWriteBack } from './refresh-and-write-back.ts'
import { noticeToolChange, undefinedIfAway } from './tool-list.ts'
import { warnOfEnd } from './warn-of-end.ts'

export type CheckNeeds = {
  connections: Connections
  healthChecks: HealthChecks
  toolLists: ToolLists
  knownToolLists: KnownToolLists
  grantProblems: GrantProblems
  integrations: Integrations
  tenants: Tenants
  platform: Platform
  storedGrants: StoredGrants
  provider: Provider
  seal: Seal
  tokens: Tokens
  now: Clock
  chance: Chance
  rates: RateLimits
  registeredClients: RegisteredClients
}

export type CheckSettings = Pick<Settings, 'healthSeconds' | 'connectionPut'>

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

function checkOrSetAside(needs: CheckNeeds, settings: CheckSettings, connection: ClaimedConnection) {
  if (!hasLostWorkers(connection)) return checkConnection(needs, settings, connection)
  const finding = { outcome: 'unclear', cause: 'worker_crashed' } as const
  const draft = { connection, finding, durationMs: 0, nextInSeconds: setAsideSeconds }
  return needs.healthChecks.record({ ...draft, ...onRecord(needs, connection, finding, undefined) })
}

/** What ends its worker whenever it is checked is checked once a day, in case it was mended. */
const setAsideSeconds = 24 * 60 * 60

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

type CheckResult = RefreshResult & { connection: Connection; durationMs: number; request?: OnConnection | undefined }

export async function recordFinding(
  needs: CheckNeeds,
  settings: CheckSettings,
  found: CheckResult,
): Promise<HealthCheck> {
  const { connection, finding, isWriteBackDue, durationMs, request } = found
  const integration = needs.integrations.of(connection)
  const scope = finding.scope && widerScope(connection.config.scope, finding.scope)
  if (scope) await needs.connections.rememberScope(connection.id, scope)
  const usual = integration?.health.everySeconds ?? settings.healthSeconds
  const pace = isWriteBackDue ? writeBackRetrySeconds : finding.isUnexplained ? Math.min(usual, askAgainSeconds) : usual
  // With jitter: many connections were created, or broke, at the same moment.
  const nextInSeconds = pace * (0.9 + 0.2 * needs.chance())
  return needs.healthChecks.record({
    connection,
    finding,
    durationMs,
    nextInSeconds,
    ...onRecord(needs, connection, finding, request),
  })
}

function onRecord(needs: CheckNeeds, connection: Connection, finding: Finding, request?: OnConnection) {
  const { outcome, cause } = finding
  const actor = request?.actor ?? worker
  const about = { actor, ...aboutConnection(connection) }
  const found = cause ?? 'grant_revoked'
  return {
    actorKind: actor.kind,
    news:
      outcome === 'broken'
        ? {
            action: 'connection.needs_relink',
            ...about,
            facts: { cause: found },
            ...changed(connection, 'needs_relink', cause),
          }
        : { action: 'connection.recovered', ...about, ...changed(connection, 'active', cause) },
    asked: request && {
      action: 'connection.checked',
      ...about,
      reason: request.reason,
      facts: { outcome },
      before: connectionState(connection),
      after: {},
    },
    event: { id: needs.tokens.id('evt'), ...needsRelinkEvent(connection, found) },
    unknown: unknownHealth(needs, connection, finding),
  } satisfies Partial<HealthCheckDraft>
}

/** Returns undefined as long as a check could tell lately, and once the tenant has been told. */
function unknownHealth(
  { tokens, now }: CheckNeeds,
  connection: Connection,
  { outcome, cause, detail }: Finding,
): HealthCheckDraft['unknown'] {
  if (outcome !== 'unclear' || connection.healthUnknownSince || connection.status !== 'active') return undefined
  const unclearSince = connection.unclearSince ?? now()
  const checks = connection.unclearChecks + 1
  if (!isHealthUnknown({ unclearSince, unclearChecks: checks }, now())) return undefined
  const found = cause ?? 'provider_unavailable'
  const facts = { cause: found, detail, checks }
  return {
    news: { action: 'connection.health_unknown', actor: worker, ...aboutConnection(connection), facts },
    event: { id: tokens.id('evt'), ...healthUnknownEvent(connection, found, unclearSince) },
  }
}

function changed(connection: Connection, status: Connection['status'], cause: Cause | undefined) {
  const before = connectionSnapshot(connection)
  return { before, after: { ...before, status, cause: cause ?? null } }
}

/** A failure elsewhere says nothing about the grant: the outcome is unclear. */
async function tryConnection(
  needs: CheckNeeds,
  settings: CheckSettings,
  connection: Connection,
  integration: Integration | undefined,
): Promise<RefreshResult> {
  if (!integration) return unclear('integration_removed')
  try {
    const byRefresh = integration.health.by === 'refresh'
    const refreshed = byRefresh
      ? await refreshAndWriteBack(needs, settings, connection)
      : await refreshForAccount(needs, settings, connection, integration)
    const { finding, isWriteBackDue } =
      byRefresh && refreshed
        ? refreshed
        : {
            finding: await useFunction(needs, connection, integration),
            isWriteBackDue: refreshed?.isWriteBackDue ?? false,
          }
    return { finding: await findingIfForgotten(needs, connection, finding), isWriteBackDue }
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    return unclear(error.cause, error.detail)
  }
}

/** Where a refresh costs nobody a rotation, it may say whose account it is. What else it shows, the function shows too. */
const refreshForAccount = async (
  needs: CheckNeeds,
  settings: CheckSettings,
  connection: Connection,
  integration: Integration,
): Promise<RefreshResult | undefined> =>
  isAccountUntold(connection, integration) && integration.rotation === 'none' && integration.grant === 'refresh'
    ? refreshAndWriteBack(needs, settings, connection).catch(undefinedIfAway)
    : undefined

const unclear = (cause: Cause, detail?: string): RefreshResult => ({
  finding: { outcome: 'unclear', cause, detail },
  isWriteBackDue: false,
})

/** A refusal that nobody explained is either the provider's answer or a fault on the way: soon enough we know. */
const askAgainSeconds = 5 * 60

/** The platform still has the old refresh token, so the write-back is retried soon. */
const writeBackRetrySeconds = 20

/** To list its tools shows that a function answers, and nothing of the grant, which is not used for it. */
async function useFunction(
  { platform }: CheckNeeds,
  connection: Connection,
  { health, mcpUrl }: Integration,
): Promise<Finding> {
  const { functionUrl, unexplainedRefusals } = connection
  if (health.tool !== undefined) {
    const tried = await platform.tryTool(functionUrl, { name: health.tool, arguments: health.arguments ?? {} })
    return tried.failed && tried.unexplained ? judgeRefusal('unexplained', unexplainedRefusals) : judgeTry(tried)
  }
  try {
    await platform.verifyFunction({ ...platformNames(connection), functionUrl })
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    const scope = error instanceof InsufficientScope ? error.scope : undefined
    if (isBrokenGrant(error.cause)) return { outcome: 'broken', cause: error.cause, scope }
    if (error.cause === 'refresh_refused') return judgeRefusal('unexplained', unexplainedRefusals)
    throw error
  }
  // An MCP server was asked for its tools by the grant; any other function knows its tools by itself.
  return { outcome: mcpUrl === undefined ? 'untested' : 'healthy', cause: undefined }
}

/** An OAuth client that was registered by itself is registered again by itself, when the account is linked again. */
async function findingIfForgotten(needs: CheckNeeds, connection: Connection, finding: Finding): Promise<Finding> {
  const ready = finding.cause === 'client_rejected' && (await findClient(needs, connection).catch(undefinedIfMissing))
  return ready ? { ...finding, cause: await causeIfForgotten(needs, ready, 'client_rejected') } : finding
}

/** Returns the names of a connection's resources on the platform. */
export const platformNames = ({ workspace, integration, id, name, functionName }: Connection) => ({
  workspace,
  integration,
  connectionId: id,
  connectionName: name,
  functionName,
})
