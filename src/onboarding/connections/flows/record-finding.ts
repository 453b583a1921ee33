// Writes down what a check, or a call of an agent, found out about a connection.
import { worker } from '../../domain/audit/audit.ts'
import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import { type Connection, connectionSnapshot, connectionState } from '../../domain/connection.ts'
import { type Finding, type HealthCheck, isHealthUnknown } from '../../domain/health/health.ts'
import { widerScope } from '../../domain/mcp/step-up.ts'
import type { Connections, HealthCheckDraft, HealthChecks } from '../../domain/ports/connections.ts'
import type { Chance, Clock, Integrations, Tokens } from '../../domain/ports/shared.ts'
import type { Settings } from '../../domain/settings.ts'
import { healthUnknownEvent, needsRelinkEvent } from '../../domain/tenant-event.ts'
import type { OnConnection } from './own-connection.ts'
import type { RefreshResult } from './refresh-and-write-back.ts'

export type RecordNeeds = {
  connections: Connections
  healthChecks: HealthChecks
  integrations: Integrations
  tokens: Tokens
  now: Clock
  chance: Chance
}

export type RecordSettings = Pick<Settings, 'healthSeconds'>

type CheckResult = RefreshResult & { connection: Connection; durationMs: number; request?: OnConnection | undefined }

export async function recordFinding(
  needs: RecordNeeds,
  settings: RecordSettings,
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

function onRecord(needs: RecordNeeds, connection: Connection, finding: Finding, request?: OnConnection) {
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

/** Returns undefined if a recent check could tell, or the tenant has been told already. */
function unknownHealth(
  { tokens, now }: RecordNeeds,
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

/** A refusal without a reason may be the provider's answer or a passing fault: a check soon after tells which. */
const askAgainSeconds = 5 * 60

/** The platform still has the old refresh token, so the write-back is retried soon. */
const writeBackRetrySeconds = 20

/** A connection whose checks crash their workers is checked once a day, in case the reason is gone. */
const setAsideSeconds = 24 * 60 * 60

export function setAside(needs: RecordNeeds, connection: Connection): Promise<HealthCheck> {
  const finding = { outcome: 'unclear', cause: 'worker_crashed' } as const
  const draft = { connection, finding, durationMs: 0, nextInSeconds: setAsideSeconds }
  return needs.healthChecks.record({ ...draft, ...onRecord(needs, connection, finding, undefined) })
}
